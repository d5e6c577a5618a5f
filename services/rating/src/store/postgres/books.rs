use async_trait::async_trait;
use proto::types::v1::{ArmyState, Seat};
use proto::{GameId, PlayerId};
use ratings::Standing;
use sqlx::PgConnection;
use timekeeping::Class;

use crate::record::{Change, Record};
use crate::store::recording::{self, EndingWords, Entry};
use crate::store::{StoreError, row};
use crate::word::Word as _;
use runtime::Instant;

/// Steps inside a transaction (`READ COMMITTED`) that takes locks in one order: the log of the game if there is one,
/// else the four players by id, then the numbering of the class. So no two of them wait for each other.
pub(super) struct Books<'a>(pub(super) &'a mut PgConnection);

#[async_trait]
impl recording::Books for Books<'_> {
    async fn log(&mut self, game: GameId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(sqlx::query_scalar("SELECT log FROM log WHERE game_id = $1 FOR UPDATE")
            .bind(game.uuid())
            .fetch_optional(&mut *self.0)
            .await?)
    }

    async fn replace_log(&mut self, record: &Record) -> Result<(), StoreError> {
        sqlx::query("UPDATE log SET events = $2, log = $3 WHERE game_id = $1")
            .bind(record.game.uuid())
            .bind(recording::length(record))
            .bind(recording::encode(record))
            .execute(&mut *self.0)
            .await?;
        Ok(())
    }

    async fn changes(&mut self, game: GameId) -> Result<Vec<Change>, StoreError> {
        let rows = sqlx::query(
            "SELECT s.seat, h.player_id, h.rating_before, h.games_before, h.rating_after
             FROM record_seat s JOIN history h USING (game_id, player_id)
             WHERE s.game_id = $1 ORDER BY s.turn",
        )
        .bind(game.uuid())
        .fetch_all(&mut *self.0)
        .await?;
        rows.iter().map(row::change).collect()
    }

    async fn standings(&mut self, class: Class, players: [PlayerId; 4]) -> Result<[Standing; 4], StoreError> {
        let mut by_id = players.map(PlayerId::uuid);
        by_id.sort_unstable();
        // There must be a row to hold, for who has none yet, too.
        sqlx::query(
            "INSERT INTO player (player_id, class, rating, games)
             SELECT player_id, $2, $3, 0 FROM unnest($1::uuid[]) AS new (player_id) ORDER BY player_id
             ON CONFLICT (player_id, class) DO NOTHING",
        )
        .bind(by_id)
        .bind(class.as_str())
        .bind(Standing::NEW.rating)
        .execute(&mut *self.0)
        .await?;
        let rows = sqlx::query(
            "SELECT player_id, class, rating, games FROM player
             WHERE player_id = ANY ($1) AND class = $2 ORDER BY player_id FOR UPDATE",
        )
        .bind(by_id)
        .bind(class.as_str())
        .fetch_all(&mut *self.0)
        .await?;
        let mut standings = [Standing::NEW; 4];
        for row in &rows {
            let rated = row::rated(row)?;
            for (standing, _) in standings.iter_mut().zip(players).filter(|(_, player)| *player == rated.player) {
                *standing = rated.standing;
            }
        }
        Ok(standings)
    }

    async fn next_sequence(&mut self, class: Class) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar("UPDATE numbering SET last = last + 1 WHERE class = $1 RETURNING last")
            .bind(class.as_str())
            .fetch_one(&mut *self.0)
            .await?)
    }

    async fn insert(&mut self, new: &Entry<'_>) -> Result<(), StoreError> {
        insert_record(self.0, new).await?;
        insert_seats(self.0, new).await?;
        insert_moves(self.0, new.record).await?;
        sqlx::query("INSERT INTO log (game_id, events, log) VALUES ($1, $2, $3)")
            .bind(new.record.game.uuid())
            .bind(recording::length(new.record))
            .bind(recording::encode(new.record))
            .execute(&mut *self.0)
            .await?;
        Ok(())
    }

    async fn apply(&mut self, new: &Entry<'_>, sequence: i64) -> Result<(), StoreError> {
        for change in &new.changes {
            sqlx::query(
                "INSERT INTO history (player_id, class, sequence, game_id, place, games_before, rating_before,
                    rating_after, ended_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            )
            .bind(change.player.uuid())
            .bind(new.class().as_str())
            .bind(sequence)
            .bind(new.record.game.uuid())
            .bind(new.place(change).map(i64::from))
            .bind(i64::from(change.before.games))
            .bind(change.before.rating)
            .bind(change.after)
            .bind(Instant(new.record.ended_ms))
            .execute(&mut *self.0)
            .await?;
            sqlx::query("UPDATE player SET rating = $3, games = games + 1 WHERE player_id = $1 AND class = $2")
                .bind(change.player.uuid())
                .bind(new.class().as_str())
                .bind(change.after)
                .execute(&mut *self.0)
                .await?;
        }
        Ok(())
    }
}

async fn insert_record(connection: &mut PgConnection, new: &Entry<'_>) -> Result<(), StoreError> {
    let record = new.record;
    let ending = EndingWords::from(record.ending);
    sqlx::query(
        "INSERT INTO record (game_id, status, rated, visibility, time_control, class, plies, end_reason, abort_reason,
            abort_player_id, start_fen4, rematch_of, created_at, started_at, ended_at, recorded_at, sequence)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
    )
    .bind(record.game.uuid())
    .bind(ending.status)
    .bind(record.rated)
    .bind(record.visibility.word())
    .bind(record.time_control.to_string())
    .bind(new.class().as_str())
    .bind(i64::try_from(record.moves.len()).unwrap_or(i64::MAX))
    .bind(ending.end_reason)
    .bind(ending.abort_reason)
    .bind(ending.culprit.map(PlayerId::uuid))
    .bind(record.start_fen4.as_deref())
    .bind(record.rematch_of.map(GameId::uuid))
    .bind(Instant(record.created_ms))
    .bind(record.started_ms.map(Instant))
    .bind(Instant(record.ended_ms))
    .bind(Instant(new.now))
    .bind(new.sequence)
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_seats(connection: &mut PgConnection, new: &Entry<'_>) -> Result<(), StoreError> {
    for ((turn, seat), of) in (0i64..).zip(Seat::ALL).zip(&new.record.seats) {
        let player = of.player.as_ref().map(|(_, player)| player);
        let change = new.change(seat);
        sqlx::query(
            "INSERT INTO record_seat (game_id, seat, turn, player_id, player_name, guest, shown_rating, provisional,
                army, points, result, place, rating_before, rating_after, ended_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        )
        .bind(new.record.game.uuid())
        .bind(seat.word())
        .bind(turn)
        .bind(of.player.as_ref().map(|(id, _)| id.uuid()))
        .bind(player.map(|player| player.name.as_str()))
        .bind(player.map(|player| player.guest))
        .bind(player.map(|player| player.rating))
        .bind(player.map(|player| player.provisional))
        .bind(of.army.and_then(ArmyState::word))
        .bind(i64::from(of.points))
        .bind(i64::from(of.result))
        .bind(of.place.map(i64::from))
        .bind(change.map(|change| change.before.rating))
        .bind(change.map(|change| change.after))
        .bind(Instant(new.record.ended_ms))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

async fn insert_moves(connection: &mut PgConnection, record: &Record) -> Result<(), StoreError> {
    let moves = &record.moves;
    sqlx::query(
        "INSERT INTO move (game_id, ply, seat, move, san, captured, promoted, by_roaming, made_at, remaining_ms)
         SELECT $1, m.ply, m.seat, m.move, m.san, m.captured, m.promoted, m.by_roaming, m.made_at, m.remaining_ms
         FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::boolean[], $8::timestamptz[],
                     $9::bigint[]) WITH ORDINALITY
              AS m (seat, move, san, captured, promoted, by_roaming, made_at, remaining_ms, ply)",
    )
    .bind(record.game.uuid())
    .bind(moves.iter().map(|of| of.seat.word()).collect::<Vec<_>>())
    .bind(moves.iter().map(|of| of.mv.as_str()).collect::<Vec<_>>())
    .bind(moves.iter().map(|of| of.san.as_str()).collect::<Vec<_>>())
    .bind(moves.iter().map(|of| of.captured.as_deref()).collect::<Vec<_>>())
    .bind(moves.iter().map(|of| of.promoted).collect::<Vec<_>>())
    .bind(moves.iter().map(|of| of.by_roaming).collect::<Vec<_>>())
    .bind(moves.iter().map(|of| Instant(of.at_ms)).collect::<Vec<_>>())
    .bind(moves.iter().map(|of| of.remaining_ms).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
