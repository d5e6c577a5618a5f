use prost::Message as _;
use proto::types::v1::{ArmyState, EventLog, Seat};
use proto::{GameId, PlayerId};
use ratings::Standing;
use sqlx::{QueryBuilder, Row as _, Sqlite, SqliteConnection};
use timekeeping::{Class, UnixMs};

use super::{decode, row};
use crate::record::{Change, Ending, Record};
use crate::store::{Recorded, StoreError};
use crate::word::Word as _;

/// SQLite takes 32 766 values a statement; a move has ten.
const MOVES_PER_INSERT: usize = 500;

/// Runs inside a transaction that holds the write lock, so that the numbers read are those that are replaced.
pub(super) async fn record(
    connection: &mut SqliteConnection,
    record: &Record,
    now: UnixMs,
) -> Result<Recorded, StoreError> {
    let stored: Option<Vec<u8>> = sqlx::query_scalar("SELECT log FROM rating_log WHERE game_id = ?1")
        .bind(record.game.to_string())
        .fetch_optional(&mut *connection)
        .await?;
    if let Some(stored) = stored {
        let stored = decode(&stored)?;
        if let Some(v) = record.contradiction(&stored) {
            return Err(StoreError::Contradiction { v });
        }
        let changes = recorded_changes(connection, record.game).await?;
        if record.events.len() <= stored.len() {
            return Ok(Recorded::Known(changes));
        }
        sqlx::query("UPDATE rating_log SET events = ?2, log = ?3 WHERE game_id = ?1")
            .bind(record.game.to_string())
            .bind(length(record))
            .bind(encode(record))
            .execute(connection)
            .await?;
        return Ok(Recorded::Longer(changes));
    }
    let class = record.time_control.class();
    let (sequence, changes) = match record.players_by_place() {
        None => (None, Vec::new()),
        Some(players) => (Some(next_sequence(connection, class).await?), rate(connection, record, players).await?),
    };
    insert_record(connection, record, sequence, now).await?;
    insert_seats(connection, record, &changes).await?;
    insert_moves(connection, record).await?;
    sqlx::query("INSERT INTO rating_log (game_id, events, log) VALUES (?1, ?2, ?3)")
        .bind(record.game.to_string())
        .bind(length(record))
        .bind(encode(record))
        .execute(&mut *connection)
        .await?;
    if let Some(sequence) = sequence {
        for change in &changes {
            apply(connection, record, class, sequence, change).await?;
        }
    }
    Ok(Recorded::New(changes))
}

fn length(record: &Record) -> i64 {
    i64::try_from(record.events.len()).unwrap_or(i64::MAX)
}

fn encode(record: &Record) -> Vec<u8> {
    EventLog { events: record.events.clone() }.encode_to_vec()
}

async fn next_sequence(connection: &mut SqliteConnection, class: Class) -> Result<i64, StoreError> {
    let last: Option<i64> = sqlx::query_scalar("SELECT max(sequence) FROM rating_record WHERE class = ?1")
        .bind(class.as_str())
        .fetch_one(connection)
        .await?;
    Ok(last.unwrap_or(0) + 1)
}

/// All four from the stored numbers; answered in seat order.
async fn rate(
    connection: &mut SqliteConnection,
    record: &Record,
    by_place: [PlayerId; 4],
) -> Result<Vec<Change>, StoreError> {
    let mut before = [Standing::NEW; 4];
    for (standing, player) in before.iter_mut().zip(by_place) {
        let row = sqlx::query(
            "SELECT player_id, class, rating, games FROM rating_player WHERE player_id = ?1 AND class = ?2",
        )
        .bind(player.to_string())
        .bind(record.time_control.class().as_str())
        .fetch_optional(&mut *connection)
        .await?;
        if let Some(row) = row {
            *standing = row::rated(&row)?.standing;
        }
    }
    let after = ratings::rate(before);
    let seats = Seat::ALL.into_iter().zip(&record.seats);
    Ok(seats
        .filter_map(|(seat, of)| {
            let (player, _) = of.player.as_ref()?;
            let place = by_place.iter().position(|placed| placed == player)?;
            Some(Change { seat, player: *player, before: before[place], after: after[place] })
        })
        .collect())
}

async fn recorded_changes(connection: &mut SqliteConnection, game: GameId) -> Result<Vec<Change>, StoreError> {
    let rows = sqlx::query(
        "SELECT s.seat, h.player_id, h.rating_before, h.games_before, h.rating_after
         FROM rating_record_seat s JOIN rating_history h USING (game_id, player_id)
         WHERE s.game_id = ?1 ORDER BY s.turn",
    )
    .bind(game.to_string())
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(Change {
                seat: row::word(row, "seat")?.ok_or(StoreError::Corrupt("seat"))?,
                player: row::parsed(row, "player_id")?,
                before: Standing { rating: row.try_get("rating_before")?, games: row::count(row, "games_before")? },
                after: row.try_get("rating_after")?,
            })
        })
        .collect()
}

async fn insert_record(
    connection: &mut SqliteConnection,
    record: &Record,
    sequence: Option<i64>,
    now: UnixMs,
) -> Result<(), StoreError> {
    let (status, end_reason, abort_reason, culprit) = match record.ending {
        Ending::Over(reason) => ("over", reason.word(), None, None),
        Ending::Aborted { reason, culprit } => ("aborted", None, reason.word(), culprit),
    };
    sqlx::query(
        "INSERT INTO rating_record (game_id, status, rated, visibility, time_control, class, plies, end_reason,
            abort_reason, abort_player_id, start_fen4, rematch_of, created_unix_ms, started_unix_ms, ended_unix_ms,
            recorded_unix_ms, sequence)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    )
    .bind(record.game.to_string())
    .bind(status)
    .bind(record.rated)
    .bind(record.visibility.word())
    .bind(record.time_control.to_string())
    .bind(record.time_control.class().as_str())
    .bind(i64::try_from(record.moves.len()).unwrap_or(i64::MAX))
    .bind(end_reason)
    .bind(abort_reason)
    .bind(culprit.map(|player| player.to_string()))
    .bind(record.start_fen4.as_deref())
    .bind(record.rematch_of.map(|game| game.to_string()))
    .bind(record.created_ms)
    .bind(record.started_ms)
    .bind(record.ended_ms)
    .bind(now)
    .bind(sequence)
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_seats(
    connection: &mut SqliteConnection,
    record: &Record,
    changes: &[Change],
) -> Result<(), StoreError> {
    for (turn, (seat, of)) in Seat::ALL.into_iter().zip(&record.seats).enumerate() {
        let player = of.player.as_ref().map(|(_, player)| player);
        let change = changes.iter().find(|change| change.seat == seat);
        sqlx::query(
            "INSERT INTO rating_record_seat (game_id, seat, turn, player_id, player_name, guest, shown_rating,
                provisional, army, points, result, place, rating_before, rating_after, ended_unix_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )
        .bind(record.game.to_string())
        .bind(seat.word())
        .bind(i64::try_from(turn).unwrap_or_default())
        .bind(player.map(|player| player.id.as_str()))
        .bind(player.map(|player| player.name.as_str()))
        .bind(player.map(|player| player.guest))
        .bind(player.map(|player| player.rating))
        .bind(player.map(|player| player.provisional))
        .bind(of.army.and_then(ArmyState::word))
        .bind(of.points)
        .bind(of.result)
        .bind(of.place)
        .bind(change.map(|change| change.before.rating))
        .bind(change.map(|change| change.after))
        .bind(record.ended_ms)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn insert_moves(connection: &mut SqliteConnection, record: &Record) -> Result<(), StoreError> {
    let game = record.game.to_string();
    let numbered: Vec<_> = (1i64..).zip(&record.moves).collect();
    for chunk in numbered.chunks(MOVES_PER_INSERT) {
        let mut query = QueryBuilder::<Sqlite>::new(
            "INSERT INTO rating_move (game_id, ply, seat, move, san, captured, promoted, by_roaming, at_unix_ms,
                remaining_ms) ",
        );
        query.push_values(chunk, |mut values, (ply, of)| {
            values
                .push_bind(&game)
                .push_bind(ply)
                .push_bind(of.seat.word())
                .push_bind(&of.mv)
                .push_bind(&of.san)
                .push_bind(of.captured.as_deref())
                .push_bind(of.promoted)
                .push_bind(of.by_roaming)
                .push_bind(of.at_ms)
                .push_bind(of.remaining_ms);
        });
        query.build().execute(&mut *connection).await?;
    }
    Ok(())
}

async fn apply(
    connection: &mut SqliteConnection,
    record: &Record,
    class: Class,
    sequence: i64,
    change: &Change,
) -> Result<(), StoreError> {
    let place = record.seats.iter().find(|seat| seat.player.as_ref().is_some_and(|(id, _)| *id == change.player));
    sqlx::query(
        "INSERT INTO rating_history (player_id, class, sequence, game_id, place, games_before, rating_before,
            rating_after, at_unix_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )
    .bind(change.player.to_string())
    .bind(class.as_str())
    .bind(sequence)
    .bind(record.game.to_string())
    .bind(place.and_then(|seat| seat.place))
    .bind(change.before.games)
    .bind(change.before.rating)
    .bind(change.after)
    .bind(record.ended_ms)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO rating_player (player_id, class, rating, games) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (player_id, class) DO UPDATE SET rating = excluded.rating, games = excluded.games",
    )
    .bind(change.player.to_string())
    .bind(class.as_str())
    .bind(change.after)
    .bind(change.before.games + 1)
    .execute(connection)
    .await?;
    Ok(())
}
