use async_trait::async_trait;
use proto::types::v1::{ArmyState, Seat};
use proto::{GameId, PlayerId};
use ratings::Standing;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use timekeeping::Class;

use crate::record::{Change, Record};
use crate::store::recording::{self, EndingWords, Entry};
use crate::store::{StoreError, row};
use crate::word::Word as _;

/// SQLite takes 32 766 values a statement; a move has ten.
const MOVES_PER_INSERT: usize = 500;

/// Steps inside a transaction that holds the write lock, so that the numbers read are those that are replaced.
pub(super) struct Books<'a>(pub(super) &'a mut SqliteConnection);

#[async_trait]
impl recording::Books for Books<'_> {
    async fn log(&mut self, game: GameId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(sqlx::query_scalar("SELECT log FROM rating_log WHERE game_id = ?1")
            .bind(game.to_string())
            .fetch_optional(&mut *self.0)
            .await?)
    }

    async fn replace_log(&mut self, record: &Record) -> Result<(), StoreError> {
        sqlx::query("UPDATE rating_log SET events = ?2, log = ?3 WHERE game_id = ?1")
            .bind(record.game.to_string())
            .bind(recording::length(record))
            .bind(recording::encode(record))
            .execute(&mut *self.0)
            .await?;
        Ok(())
    }

    async fn changes(&mut self, game: GameId) -> Result<Vec<Change>, StoreError> {
        let rows = sqlx::query(
            "SELECT s.seat, h.player_id, h.rating_before, h.games_before, h.rating_after
             FROM rating_record_seat s JOIN rating_history h USING (game_id, player_id)
             WHERE s.game_id = ?1 ORDER BY s.turn",
        )
        .bind(game.to_string())
        .fetch_all(&mut *self.0)
        .await?;
        rows.iter().map(row::change).collect()
    }

    async fn standings(&mut self, class: Class, players: [PlayerId; 4]) -> Result<[Standing; 4], StoreError> {
        let mut standings = [Standing::NEW; 4];
        for (standing, player) in standings.iter_mut().zip(players) {
            let row = sqlx::query(
                "SELECT player_id, class, rating, games FROM rating_player WHERE player_id = ?1 AND class = ?2",
            )
            .bind(player.to_string())
            .bind(class.as_str())
            .fetch_optional(&mut *self.0)
            .await?;
            if let Some(row) = row {
                *standing = row::rated(&row)?.standing;
            }
        }
        Ok(standings)
    }

    async fn next_sequence(&mut self, class: Class) -> Result<i64, StoreError> {
        let last: Option<i64> = sqlx::query_scalar("SELECT max(sequence) FROM rating_record WHERE class = ?1")
            .bind(class.as_str())
            .fetch_one(&mut *self.0)
            .await?;
        Ok(last.unwrap_or(0) + 1)
    }

    async fn insert(&mut self, new: &Entry<'_>) -> Result<(), StoreError> {
        insert_record(self.0, new).await?;
        insert_seats(self.0, new).await?;
        insert_moves(self.0, new.record).await?;
        sqlx::query("INSERT INTO rating_log (game_id, events, log) VALUES (?1, ?2, ?3)")
            .bind(new.record.game.to_string())
            .bind(recording::length(new.record))
            .bind(recording::encode(new.record))
            .execute(&mut *self.0)
            .await?;
        Ok(())
    }

    async fn apply(&mut self, new: &Entry<'_>, sequence: i64) -> Result<(), StoreError> {
        for change in &new.changes {
            apply(self.0, new, sequence, change).await?;
        }
        Ok(())
    }
}

async fn insert_record(connection: &mut SqliteConnection, new: &Entry<'_>) -> Result<(), StoreError> {
    let record = new.record;
    let ending = EndingWords::from(record.ending);
    sqlx::query(
        "INSERT INTO rating_record (game_id, status, rated, visibility, time_control, class, plies, end_reason,
            abort_reason, abort_player_id, start_fen4, rematch_of, created_unix_ms, started_unix_ms, ended_unix_ms,
            recorded_unix_ms, sequence)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    )
    .bind(record.game.to_string())
    .bind(ending.status)
    .bind(record.rated)
    .bind(record.visibility.word())
    .bind(record.time_control.to_string())
    .bind(new.class().as_str())
    .bind(i64::try_from(record.moves.len()).unwrap_or(i64::MAX))
    .bind(ending.end_reason)
    .bind(ending.abort_reason)
    .bind(ending.culprit.map(|player| player.to_string()))
    .bind(record.start_fen4.as_deref())
    .bind(record.rematch_of.map(|game| game.to_string()))
    .bind(record.created_ms)
    .bind(record.started_ms)
    .bind(record.ended_ms)
    .bind(new.now)
    .bind(new.sequence)
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_seats(connection: &mut SqliteConnection, new: &Entry<'_>) -> Result<(), StoreError> {
    for ((turn, seat), of) in (0i64..).zip(Seat::ALL).zip(&new.record.seats) {
        let player = of.player.as_ref().map(|(_, player)| player);
        let change = new.change(seat);
        sqlx::query(
            "INSERT INTO rating_record_seat (game_id, seat, turn, player_id, player_name, guest, shown_rating,
                provisional, army, points, result, place, rating_before, rating_after, ended_unix_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )
        .bind(new.record.game.to_string())
        .bind(seat.word())
        .bind(turn)
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
        .bind(new.record.ended_ms)
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
    new: &Entry<'_>,
    sequence: i64,
    change: &Change,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO rating_history (player_id, class, sequence, game_id, place, games_before, rating_before,
            rating_after, at_unix_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )
    .bind(change.player.to_string())
    .bind(new.class().as_str())
    .bind(sequence)
    .bind(new.record.game.to_string())
    .bind(new.place(change))
    .bind(change.before.games)
    .bind(change.before.rating)
    .bind(change.after)
    .bind(new.record.ended_ms)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO rating_player (player_id, class, rating, games) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (player_id, class) DO UPDATE SET rating = excluded.rating, games = excluded.games",
    )
    .bind(change.player.to_string())
    .bind(new.class().as_str())
    .bind(change.after)
    .bind(change.before.games + 1)
    .execute(connection)
    .await?;
    Ok(())
}
