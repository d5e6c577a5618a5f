//! The services' common language: gRPC code generated from `proto/`, the closed set of error codes, typed ids,
//! and conversions to and from the rules' own types.

#![deny(missing_docs)]

mod branch;
mod code;
mod convert;
mod id;
mod refusal;

pub use code::Code;
pub use convert::{NotSpecified, unix_ms};
pub use id::{CommandId, EventId, GameId, InvalidId, PlayerId, SHARDS, Shard, TicketId};
pub use refusal::Refusal;

/// The descriptor set of all packages, for gRPC server reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

macro_rules! package {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        pub mod $name {
            /// Version 1; messages and fields are described in the `.proto` files.
            #[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
            pub mod v1 {
                include!(concat!(env!("OUT_DIR"), "/fourkingdoms.", stringify!($name), ".v1.rs"));
            }
        }
    };
}

package!(types, "What several services speak of: seats, players, events.");
package!(game, "The game service.");
package!(matchmaking, "The matchmaking service.");
package!(rating, "The rating service.");
package!(clock, "The clock service.");
