//! What is looked up by something else than the game: a player's games and invite codes. They have other slots, so
//! they are written after the game and may be behind it; a game whose index is owed stands in `unindexed` from the
//! same atomic step on. An entry is a hint: readers check it against the game.

use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _, try_join_all};
use proto::types::v1::GameStatus;
use proto::{GameId, PlayerId, Shard};
use redis_link::Call;

use super::link::{Link, within};
use super::{keys, script, unreadable};
use crate::store::LiveError;

/// Entries die by themselves; the comparison with all games, which comes more often, keeps those that are needed.
const LIFE_MS: u64 = 24 * 3_600_000;
/// The writer itself has so long before the sweeper helps.
const HEAD_START_MS: i64 = 2_000;
const PATIENCE: Duration = Duration::from_millis(1_500);
const AT_ONCE: usize = 128;
/// A game changes seats only so fast; whoever is overtaken more often leaves it to the sweeper.
const ROUNDS: usize = 8;

/// What the index should say of a game.
pub(super) struct Known {
    version: String,
    status: GameStatus,
    invite: String,
    players: Vec<PlayerId>,
    /// Who may still stand there from before.
    leaving: Vec<PlayerId>,
}

impl Known {
    /// From the words of a script: version, status, invite code, players, those who leave.
    pub(super) fn read(words: &[String]) -> Result<Self, LiveError> {
        let [version, status, invite, players, leaving] = words else { return Err(unreadable("projection")) };
        Ok(Self {
            version: version.clone(),
            status: status_of(status)?,
            invite: invite.clone(),
            players: players_of(players)?,
            leaving: players_of(leaving)?,
        })
    }

    fn is_open(&self) -> bool {
        matches!(self.status, GameStatus::Waiting | GameStatus::Running)
    }
}

fn status_of(text: &str) -> Result<GameStatus, LiveError> {
    text.parse::<i32>().ok().and_then(|status| status.try_into().ok()).ok_or_else(|| unreadable("status"))
}

fn players_of(text: &str) -> Result<Vec<PlayerId>, LiveError> {
    text.split(',').filter(|id| !id.is_empty()).map(|id| id.parse().map_err(|_| unreadable("players"))).collect()
}

/// As `follow`, for the writer of a step, whose answer must not wait for long on other servers than the game's.
pub(super) async fn follow_soon(link: &Link, game: GameId, known: Known) -> Result<(), LiveError> {
    within(PATIENCE, follow(link, game, Some(known))).await
}

/// Brings the index up to a game, whoever else is at it: it ends only when what was written last is the newest.
pub(super) async fn follow(link: &Link, game: GameId, known: Option<Known>) -> Result<(), LiveError> {
    let mut written = known;
    for _ in 0..ROUNDS {
        if let Some(known) = &written {
            write(link, game, known).await?;
        }
        let version = written.as_ref().map_or("", |known| &known.version);
        let (game_key, owed) = (keys::game(game), keys::of(game.shard(), "unindexed"));
        let call = Call::script(&script::SETTLE, &[&game_key, &owed]).arg(version).arg(game.to_string());
        let reply: Vec<String> = link.get(call).await?;
        match reply.as_slice() {
            [code] if code == "0" => return Ok(()),
            // It left the store while this was written; nothing must stay of it.
            [_] => {
                let Some(known) = written else { return Ok(()) };
                return write(link, game, &Known { status: GameStatus::Aborted, ..known }).await;
            }
            [_, newer @ ..] => written = Some(Known::read(newer)?),
            [] => return Err(unreadable("settle")),
        }
    }
    tracing::debug!(game.id = %game, "a game's index was overtaken and is left to the sweeper");
    Ok(())
}

async fn write(link: &Link, game: GameId, known: &Known) -> Result<(), LiveError> {
    let id = game.to_string();
    let mut calls: Vec<BoxFuture<'_, Result<redis::Value, LiveError>>> = Vec::new();
    for player in &known.players {
        let key = keys::player(*player);
        let call = if known.is_open() {
            Call::script(&script::SEAT, &[&key]).arg(&id).arg(LIFE_MS)
        } else {
            Call::command("SREM", &key).arg(&id)
        };
        calls.push(link.call(call).boxed());
    }
    for player in known.leaving.iter().filter(|player| !known.players.contains(player)) {
        calls.push(link.call(Call::command("SREM", &keys::player(*player)).arg(&id)).boxed());
    }
    if !known.invite.is_empty() {
        let key = keys::invite(&known.invite);
        let call = if known.status == GameStatus::Waiting {
            Call::command("SET", &key).arg(&id).arg("PX").arg(LIFE_MS)
        } else {
            Call::script(&script::UNINVITE, &[&key]).arg(&id)
        };
        calls.push(link.call(call).boxed());
    }
    try_join_all(calls).await.map(drop)
}

/// Follows the games whose writers did not; returns how many.
pub(super) async fn sweep(link: &Link, now: i64) -> Result<u64, LiveError> {
    let owed = Shard::all().map(async |shard| {
        let call = Call::command("ZRANGEBYSCORE", &keys::of(shard, "unindexed"));
        let call = call.arg("-inf").arg(now.saturating_sub(HEAD_START_MS)).arg("LIMIT").arg(0).arg(AT_ONCE);
        games(link.get(call).await?)
    });
    follow_all(link, futures::future::join_all(owed).await).await
}

/// Writes the index of every open game anew: what a failover lost there comes back. Returns how many.
pub(super) async fn compare(link: &Link) -> Result<u64, LiveError> {
    let open = Shard::all()
        .map(async |shard| games(link.get(Call::command("ZRANGE", &keys::of(shard, "open")).arg(0).arg(-1)).await?));
    follow_all(link, futures::future::join_all(open).await).await
}

/// What one shard fails in must not keep the others waiting.
async fn follow_all(link: &Link, shards: Vec<Result<Vec<GameId>, LiveError>>) -> Result<u64, LiveError> {
    let (mut count, mut failed) = (0, None);
    for shard in shards {
        match shard {
            Ok(games) => {
                for some in games.chunks(AT_ONCE) {
                    let followed = some.iter().map(|game| follow(link, *game, None));
                    match try_join_all(followed).await {
                        Ok(done) => count += done.len() as u64,
                        Err(error) => failed = Some(error),
                    }
                }
            }
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(count), Err)
}

pub(super) fn games(ids: Vec<String>) -> Result<Vec<GameId>, LiveError> {
    ids.iter().map(|id| id.parse().map_err(|_| unreadable("game id"))).collect()
}

pub(super) async fn invited(link: &Link, code: &str) -> Result<Option<GameId>, LiveError> {
    let found: Option<String> = link.get(Call::command("GET", &keys::invite(code))).await?;
    let Some(id) = found else { return Ok(None) };
    let game: GameId = id.parse().map_err(|_| unreadable("invite code"))?;
    let call = Call::command("HMGET", &keys::game(game)).arg("status").arg("invite");
    let (status, invite) = link.get::<(Option<i32>, Option<String>)>(call).await?;
    let stands = status == Some(GameStatus::Waiting as i32) && invite.as_deref() == Some(code);
    Ok(stands.then_some(game))
}

pub(super) async fn games_of(link: &Link, player: PlayerId) -> Result<Vec<(GameId, GameStatus)>, LiveError> {
    let hints = games(link.get(Call::command("SMEMBERS", &keys::player(player))).await?)?;
    let found = hints.into_iter().map(async |game| {
        let call = Call::command("HMGET", &keys::game(game)).arg("status").arg("players").arg("created");
        let (Some(status), Some(players), Some(created)) =
            link.get::<(Option<String>, Option<String>, Option<i64>)>(call).await?
        else {
            return Ok(None);
        };
        let status = status_of(&status)?;
        let sits = players_of(&players)?.contains(&player);
        let open = matches!(status, GameStatus::Waiting | GameStatus::Running);
        Ok::<_, LiveError>((sits && open).then_some((created, game, status)))
    });
    let mut found: Vec<_> = try_join_all(found).await?.into_iter().flatten().collect();
    found.sort_unstable_by_key(|(created, game, _)| std::cmp::Reverse((*created, *game)));
    Ok(found.into_iter().map(|(_, game, status)| (game, status)).collect())
}
