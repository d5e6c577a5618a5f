//! The names of all keys; what they are is in docs/decisions/live-state-in-redis.md.

use proto::{GameId, PlayerId, Shard};

use crate::store::LeaseKind;

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

#[cfg(test)]
mod tests {
    use redis_link::slot;

    use super::*;

    #[test]
    fn all_keys_of_a_game_have_its_shards_slot() {
        let id = GameId::new();
        let slots = [game(id), log(id), of(id.shard(), "outbox")].map(|key| slot(&key));
        assert_eq!(slots, [slots[0]; 3]);
    }
}
