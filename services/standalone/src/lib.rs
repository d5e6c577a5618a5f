//! Every service in one process on one SQLite file.
