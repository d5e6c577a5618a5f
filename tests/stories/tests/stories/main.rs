//! Stories in players' words, each on a platform of its own.

#![expect(clippy::unwrap_used, reason = "what does not go as promised fails the story")]

mod abandoned_tickets;
mod aborts;
mod accounts;
mod bad_moves;
mod bad_requests;
mod bot_tokens;
mod browsers;
mod cancelling;
mod chaos;
mod clocks;
mod crashes;
mod documentation;
mod ends;
mod garbage;
mod http2;
mod idempotency;
mod limits;
mod lists;
mod news;
mod operators;
mod outages;
mod positions;
mod private_games;
mod races;
mod rated;
mod raw_bytes;
mod readme;
mod reconnect;
mod rematch;
mod restarts;
mod roaming;
mod seats;
mod slow_reader;
mod sockets;
mod startup;
mod stores;
mod telemetry;
mod tickets;
mod untouched;
mod whole_game;
