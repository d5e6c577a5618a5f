//! The log of one game, and the step that appends to it.

use prost::Message as _;
use proto::types::v1::{Event, GameStatus, Visibility};
use proto::{CommandId, GameId};
use redis_link::Call;

use super::index::{self, Known};
use super::link::Link;
use super::{keys, news, script, unreadable};
use crate::store::{Append, Appended, Deadline, Head, LiveError, Log};

/// Bytes of a command's id, which every entry of a log begins with.
pub(super) const COMMAND: usize = 16;

/// What the script needs beyond the append itself is the time at which a report is due.
pub(super) async fn append(link: &Link, append: &Append, now: i64) -> Result<Appended, LiveError> {
    let game = append.game;
    let last = append.events.last().ok_or_else(|| unreadable("an append without events"))?;
    let known = &append.projection;
    let of = |name| keys::of(game.shard(), name);
    let (expected_version, expected_event) =
        append.expected.map_or_else(Default::default, |head| (head.version.to_string(), head.event.to_string()));
    let players: Vec<String> = known.players.iter().map(ToString::to_string).collect();
    let listed = if known.visibility == Visibility::Public {
        public_member(known.status, known.created, Some(game))
    } else {
        String::new()
    };
    let mut call = Call::script(
        &script::APPEND,
        &[
            &keys::game(game),
            &keys::log(game),
            &of("deadlines"),
            &of("outbox"),
            &of("retiring"),
            &of("open"),
            &of("public"),
            &of("unindexed"),
            &of("wakeups"),
        ],
    )
    .arg(expected_version)
    .arg(expected_event)
    .arg(last.v)
    .arg(&last.id)
    .arg(known.status as i32)
    .arg(known.invite_code.as_deref().unwrap_or_default())
    .arg(players.join(","))
    .arg(listed)
    .arg(append.deadline.as_ref().map(deadline_member).unwrap_or_default())
    .arg(append.deadline.map_or(0, |deadline| deadline.due))
    .arg(if append.report { now.to_string() } else { String::new() })
    .arg(game.to_string())
    .arg(known.created)
    .arg(now)
    .arg(news::head_of_events(game));
    for event in &append.events {
        let mut entry = append.command.uuid().as_bytes().to_vec();
        event.encode(&mut entry).map_err(|_| unreadable("an event without end"))?;
        call = call.arg(entry);
    }
    let reply: Vec<String> = link.get(call.once().replicated()).await?;
    match reply.as_slice() {
        [code] if code == "0" => return Ok(Appended::Conflict),
        [_] => {}
        // If this process dies here, or the index cannot be written, the game stays in `unindexed` and the sweeper of
        // any replica does it. Readers of the index check what they find against the game, so until then a game may
        // be missing, and is never wrong.
        [_, known @ ..] => {
            let followed = match Known::read(known) {
                Ok(known) => index::follow_soon(link, game, known).await,
                Err(error) => Err(error),
            };
            if let Err(error) = followed {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(game.id = %game, error, "a game's index is left to the sweeper");
            }
        }
        [] => return Err(unreadable("append")),
    }
    Ok(Appended::Done)
}

pub(super) async fn load(link: &Link, game: GameId, after: u64) -> Result<Option<Log>, LiveError> {
    let call = Call::script(&script::LOAD, &[&keys::game(game), &keys::log(game)])
        .arg(i64::try_from(after).unwrap_or(i64::MAX));
    let Some((version, event, entries)) = link.get::<Option<(u64, String, Vec<Vec<u8>>)>>(call).await? else {
        return Ok(None);
    };
    let events = entries.iter().map(|entry| event_of(entry)).collect::<Result<_, _>>()?;
    Ok(Some(Log { head: head(version, &event)?, events }))
}

pub(super) fn event_of(entry: &[u8]) -> Result<Event, LiveError> {
    entry.get(COMMAND..).and_then(|body| Event::decode(body).ok()).ok_or_else(|| unreadable("event"))
}

fn head(version: u64, event: &str) -> Result<Head, LiveError> {
    Ok(Head { version, event: event.parse().map_err(|_| unreadable("last event"))? })
}

pub(super) async fn caused_by(link: &Link, game: GameId, command: CommandId) -> Result<Option<u64>, LiveError> {
    let call = Call::script(&script::CAUSED_BY, &[&keys::log(game)]).arg(command.uuid().as_bytes().as_slice());
    link.get(call).await
}

pub(super) async fn heads(link: &Link, games: &[GameId]) -> Result<Vec<(GameId, Head)>, LiveError> {
    let heads = games.iter().map(async |game| {
        let call = Call::command("HMGET", &keys::game(*game)).arg("version").arg("event");
        match link.get::<(Option<u64>, Option<String>)>(call).await? {
            (Some(version), Some(event)) => Ok::<_, LiveError>(Some((*game, head(version, &event)?))),
            _ => Ok(None),
        }
    });
    Ok(link.gather(heads).await?.into_iter().flatten().collect())
}

/// A deadline as a member of its shard's set; its time is the score.
fn deadline_member(deadline: &Deadline) -> String {
    format!("{}:{}:{}", deadline.game, deadline.kind as i32, deadline.ply)
}

pub(super) fn deadline_of(member: &str, due: i64) -> Result<Deadline, LiveError> {
    let read = || {
        let mut parts = member.split(':');
        let game = parts.next()?.parse().ok()?;
        let kind = parts.next()?.parse::<i32>().ok()?.try_into().ok()?;
        Some(Deadline { game, kind, ply: parts.next()?.parse().ok()?, due })
    };
    read().ok_or_else(|| unreadable("deadline"))
}

/// A game in the public list, which is in the order of letters: by status, then by age. Without a game, what all
/// games of that moment begin with.
pub(super) fn public_member(status: GameStatus, created: i64, game: Option<GameId>) -> String {
    let game = game.map(|game| game.to_string()).unwrap_or_default();
    // Moving the sign up puts moments before 1970 first.
    format!("{}:{:016x}:{game}", status as i32, created.cast_unsigned() ^ (1 << 63))
}

pub(super) fn public_of(member: &str) -> Result<(i64, GameId), LiveError> {
    let read = || {
        let mut parts = member.split(':').skip(1);
        let created = u64::from_str_radix(parts.next()?, 16).ok()? ^ (1 << 63);
        Some((created.cast_signed(), parts.next()?.parse().ok()?))
    };
    read().ok_or_else(|| unreadable("public list"))
}
