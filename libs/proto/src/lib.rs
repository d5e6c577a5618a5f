//! Generated gRPC code, conversions and error codes.
