use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// Into how many shards live games fall. Part of every key in the store, so it never changes.
pub const SHARDS: u8 = 64;

/// One of [`SHARDS`] slices of the live games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shard(u8);

impl Shard {
    /// All shards.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SHARDS).map(Self)
    }

    /// 0 to 63.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }
}

/// Not a UUID in its canonical lower-case form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid id")]
pub struct InvalidId;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id; ids made later sort later.
            #[must_use]
            #[expect(clippy::new_without_default, reason = "two defaults would differ")]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }

            /// The same id for the same origin and name, for commands that may come twice.
            #[must_use]
            pub fn derived(origin: Uuid, name: &str) -> Self {
                Self(Uuid::new_v5(&origin, name.as_bytes()))
            }

            /// As the stores keep it.
            #[must_use]
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            /// Takes the printed form only, so that one id has one spelling.
            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let id = Self(Uuid::try_parse(text).map_err(|_| InvalidId)?);
                if id.to_string() == text { Ok(id) } else { Err(InvalidId) }
            }
        }
    )*};
}

ids! {
    /// A game; its last six bits are its shard.
    GameId;
    /// A player, guest or account.
    PlayerId;
    /// A ticket for matchmaking.
    TicketId;
    /// An event in the log of a game.
    EventId;
    /// A command to a game.
    CommandId;
}

impl GameId {
    /// Where the game lives.
    #[must_use]
    pub const fn shard(self) -> Shard {
        Shard(self.0.as_bytes()[15] % SHARDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        let id = GameId::new();
        assert_eq!(id.to_string().parse(), Ok(id));
        for other in [id.to_string().to_uppercase(), id.uuid().simple().to_string(), String::new(), "x".repeat(9999)] {
            assert_eq!(other.parse::<GameId>(), Err(InvalidId), "{other:.40}");
        }
    }

    #[test]
    fn games_spread_over_all_shards() {
        let seen: std::collections::HashSet<_> = (0..5000).map(|_| GameId::new().shard()).collect();
        assert_eq!(seen.len(), usize::from(SHARDS));
    }
}
