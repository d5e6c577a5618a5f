//! The names of all keys; what they are is in docs/decisions/live-state-in-redis.md.

use proto::{GameId, PlayerId, Shard};

use crate::store::LeaseKind;

/// Slots of a cluster.
pub(super) const SLOTS: u16 = 16_384;

pub(super) fn of(shard: Shard, name: &str) -> String {
    format!("{{s{}}}:{name}", shard.index())
}

pub(super) fn game(game: GameId) -> String {
    format!("{{s{}}}:game:{game}", game.shard().index())
}

pub(super) fn log(game: GameId) -> String {
    format!("{{s{}}}:game:{game}:log", game.shard().index())
}

pub(super) fn player(player: PlayerId) -> String {
    format!("{{player:{player}}}:games")
}

pub(super) fn invite(code: &str) -> String {
    format!("{{invite:{code}}}:game")
}

pub(super) fn leases(kind: LeaseKind) -> String {
    format!("{{leases}}:{}", kind.as_str())
}

pub(super) fn holders(kind: LeaseKind) -> String {
    format!("{{leases}}:{}:holders", kind.as_str())
}

/// The slot of a key: the remainder of a CRC of its hash tag, or of all of it if it has none.
pub(super) fn slot(key: &str) -> u16 {
    let tag = key.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(tag, _)| tag);
    let hashed = if tag.is_empty() { key } else { tag };
    let crc = hashed.bytes().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| (crc << 1) ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 })
    });
    crc % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_server() {
        // Asked of `CLUSTER KEYSLOT`; 0x31c3 is the check value of the CRC.
        assert_eq!(slot("123456789"), 0x31c3);
        assert_eq!(slot("foo{bar}{zap}"), slot("bar"));
        assert_eq!(slot("foo{}{bar}"), 8363);
        assert_eq!(slot("somekey"), 11058);
    }

    #[test]
    fn all_keys_of_a_game_have_its_shards_slot() {
        let id = GameId::new();
        let slots = [game(id), log(id), of(id.shard(), "outbox")].map(|key| slot(&key));
        assert_eq!(slots, [slots[0]; 3]);
    }
}
