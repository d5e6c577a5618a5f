use std::collections::HashMap;

use proto::PlayerId;
use ratings::Standing;
use timekeeping::Class;

use crate::store::{Store, StoreError};

const GAMES_AT_ONCE: u32 = 500;

/// The ratings of a class, computed anew from its recorded games in the order of their numbers. Equal to the
/// stored ratings, to the last bit; where they differ, the stored ones were changed by something else.
///
/// # Errors
/// If the store fails.
pub async fn recompute(store: &dyn Store, class: Class) -> Result<HashMap<PlayerId, Standing>, StoreError> {
    let mut standings: HashMap<PlayerId, Standing> = HashMap::new();
    let mut last = 0;
    loop {
        let games = store.rated_games(class, last, GAMES_AT_ONCE).await?;
        let Some(newest) = games.last() else { return Ok(standings) };
        last = newest.sequence;
        for game in games {
            let before = game.by_place.map(|player| standings.get(&player).copied().unwrap_or(Standing::NEW));
            for ((player, before), rating) in game.by_place.into_iter().zip(before).zip(ratings::rate(before)) {
                standings.insert(player, Standing { rating, games: before.games + 1 });
            }
        }
    }
}
