use proto::PlayerId;
use sqlx::{SqliteConnection, SqlitePool};
use timekeeping::Class;

use crate::store::{HistoryEntry, Rated, RatedGame, RecordQuery, StoreError, Summary, row};

pub(super) async fn history(
    reader: &SqlitePool,
    player: PlayerId,
    class: Option<Class>,
    before: i64,
    limit: u32,
) -> Result<Vec<HistoryEntry>, StoreError> {
    let rows = match class {
        Some(class) => {
            sqlx::query(
                "SELECT *, at_unix_ms AS ended_unix_ms FROM rating_history
                 WHERE player_id = ?1 AND number < ?2 AND class = ?3
                 ORDER BY number DESC LIMIT ?4",
            )
            .bind(player.to_string())
            .bind(before)
            .bind(class.as_str())
            .bind(limit)
            .fetch_all(reader)
            .await?
        }
        None => {
            sqlx::query(
                "SELECT *, at_unix_ms AS ended_unix_ms FROM rating_history
                 WHERE player_id = ?1 AND number < ?2
                 ORDER BY number DESC LIMIT ?3",
            )
            .bind(player.to_string())
            .bind(before)
            .bind(limit)
            .fetch_all(reader)
            .await?
        }
    };
    rows.iter().map(row::history_entry).collect()
}

pub(super) async fn leaderboard(
    reader: &SqlitePool,
    class: Class,
    include_provisional: bool,
    rating: f64,
    player: &str,
    limit: u32,
) -> Result<Vec<Rated>, StoreError> {
    let query = if include_provisional {
        "SELECT player_id, class, rating, games FROM rating_player
         WHERE class = ?1 AND rating <= ?2 AND (rating < ?2 OR player_id > ?3)
         ORDER BY rating DESC, player_id LIMIT ?4"
    } else {
        "SELECT player_id, class, rating, games FROM rating_player
         WHERE class = ?1 AND rating <= ?2 AND (rating < ?2 OR player_id > ?3) AND games >= 30
         ORDER BY rating DESC, player_id LIMIT ?4"
    };
    let rows = sqlx::query(query).bind(class.as_str()).bind(rating).bind(player).bind(limit).fetch_all(reader).await?;
    rows.iter().map(row::rated).collect()
}

const OF_A_PLAYER: &str = "
    SELECT r.game_id, r.status, r.rated, r.visibility, r.time_control, r.plies, r.end_reason, r.abort_reason,
           r.started_unix_ms, r.ended_unix_ms
    FROM rating_record_seat s JOIN rating_record r USING (game_id)
    WHERE s.player_id = ?1 AND (s.ended_unix_ms, s.game_id) < (?2, ?3)
      AND (?4 IS NULL OR r.status = ?4)
      AND (r.visibility = 'public' OR EXISTS (
            SELECT 1 FROM rating_record_seat v WHERE v.game_id = r.game_id AND +v.player_id = ?5))
    ORDER BY s.ended_unix_ms DESC, s.game_id DESC LIMIT ?6";

/// The newest public games and the newest of the viewer's, each from its own index; the newest of both follow.
const OF_ALL: &str = "
    WITH seen AS (
        SELECT * FROM (
            SELECT game_id FROM rating_record
            WHERE visibility = 'public' AND (ended_unix_ms, game_id) < (?2, ?3) AND (?4 IS NULL OR status = ?4)
            ORDER BY ended_unix_ms DESC, game_id DESC LIMIT ?6)
        UNION
        SELECT * FROM (
            SELECT s.game_id FROM rating_record_seat s JOIN rating_record o USING (game_id)
            WHERE s.player_id = ?5 AND (s.ended_unix_ms, s.game_id) < (?2, ?3) AND (?4 IS NULL OR o.status = ?4)
            ORDER BY s.ended_unix_ms DESC, s.game_id DESC LIMIT ?6))
    SELECT r.game_id, r.status, r.rated, r.visibility, r.time_control, r.plies, r.end_reason, r.abort_reason,
           r.started_unix_ms, r.ended_unix_ms
    FROM seen JOIN rating_record r USING (game_id)
    WHERE ?1 IS NULL
    ORDER BY r.ended_unix_ms DESC, r.game_id DESC LIMIT ?6";

pub(super) async fn records(
    connection: &mut SqliteConnection,
    query: &RecordQuery,
) -> Result<Vec<Summary>, StoreError> {
    let (ended, game) = query.before.map_or((i64::MAX, String::new()), |(ended, game)| (ended, game.to_string()));
    let rows = sqlx::query(if query.player.is_some() { OF_A_PLAYER } else { OF_ALL })
        .bind(query.player.map(|player| player.to_string()))
        .bind(ended)
        .bind(game)
        .bind(query.status_word())
        .bind(query.viewer.map(|viewer| viewer.to_string()))
        .bind(query.limit)
        .fetch_all(&mut *connection)
        .await?;
    let mut summaries: Vec<_> = rows.iter().map(row::summary).collect::<Result<_, _>>()?;
    for game in summaries.iter().map(|summary| summary.game).collect::<Vec<_>>() {
        let seats =
            sqlx::query("SELECT * FROM rating_record_seat WHERE game_id = ?1 AND player_id IS NOT NULL ORDER BY turn")
                .bind(game.to_string())
                .fetch_all(&mut *connection)
                .await?;
        row::take_seats(&mut summaries, &seats)?;
    }
    Ok(summaries)
}

pub(super) async fn rated_games(
    reader: &SqlitePool,
    class: Class,
    after: u64,
    limit: u32,
) -> Result<Vec<RatedGame>, StoreError> {
    let rows = sqlx::query(
        "SELECT r.sequence, a.player_id AS first, b.player_id AS second, c.player_id AS third, d.player_id AS fourth
         FROM rating_record r
         JOIN rating_record_seat a ON a.game_id = r.game_id AND a.place = 1
         JOIN rating_record_seat b ON b.game_id = r.game_id AND b.place = 2
         JOIN rating_record_seat c ON c.game_id = r.game_id AND c.place = 3
         JOIN rating_record_seat d ON d.game_id = r.game_id AND d.place = 4
         WHERE r.class = ?1 AND r.sequence > ?2 ORDER BY r.sequence LIMIT ?3",
    )
    .bind(class.as_str())
    .bind(i64::try_from(after).unwrap_or(i64::MAX))
    .bind(limit)
    .fetch_all(reader)
    .await?;
    rows.iter().map(row::rated_game).collect()
}
