use proto::PlayerId;
use sqlx::PgPool;
use sqlx::types::Uuid;
use timekeeping::{Class, UnixMs};

use crate::store::{HistoryEntry, Rated, RatedGame, RecordQuery, StoreError, Summary, row};
use runtime::Instant;

pub(super) async fn history(
    pool: &PgPool,
    player: PlayerId,
    class: Option<Class>,
    before: i64,
    limit: u32,
) -> Result<Vec<HistoryEntry>, StoreError> {
    let query = match class {
        Some(class) => sqlx::query(
            "SELECT * FROM history WHERE player_id = $1 AND number < $2 AND class = $4 ORDER BY number DESC LIMIT $3",
        )
        .bind(player.uuid())
        .bind(before)
        .bind(i64::from(limit))
        .bind(class.as_str()),
        None => sqlx::query("SELECT * FROM history WHERE player_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3")
            .bind(player.uuid())
            .bind(before)
            .bind(i64::from(limit)),
    };
    query.fetch_all(pool).await?.iter().map(row::history_entry).collect()
}

pub(super) async fn leaderboard(
    pool: &PgPool,
    class: Class,
    include_provisional: bool,
    after: Option<(f64, PlayerId)>,
    limit: u32,
) -> Result<Vec<Rated>, StoreError> {
    let query = if include_provisional {
        "SELECT player_id, class, rating, games FROM player
         WHERE class = $1 AND rating <= $2 AND (rating < $2 OR player_id > $3)
         ORDER BY rating DESC, player_id LIMIT $4"
    } else {
        "SELECT player_id, class, rating, games FROM player
         WHERE class = $1 AND rating <= $2 AND (rating < $2 OR player_id > $3) AND games >= 30
         ORDER BY rating DESC, player_id LIMIT $4"
    };
    let (rating, player) = after.map_or((f64::INFINITY, Uuid::nil()), |(rating, player)| (rating, player.uuid()));
    let rows = sqlx::query(query)
        .bind(class.as_str())
        .bind(rating)
        .bind(player)
        .bind(i64::from(limit))
        .fetch_all(pool)
        .await?;
    rows.iter().map(row::rated).collect()
}

const OF_A_PLAYER: &str = "
    SELECT r.game_id, r.rated, r.visibility, r.time_control, r.plies, r.end_reason, r.abort_reason, r.started_at,
           r.ended_at
    FROM record_seat s JOIN record r USING (game_id)
    WHERE s.player_id = $6 AND (s.ended_at, s.game_id) < ($1, $2)
      AND ($3::text IS NULL OR r.status = $3)
      AND (r.visibility = 'public' OR EXISTS (
            SELECT 1 FROM record_seat v WHERE v.game_id = r.game_id AND v.player_id = $4))
    ORDER BY s.ended_at DESC, s.game_id DESC LIMIT $5";

/// The newest public games and the newest of the viewer's, each from its own index; the newest of both follow.
const OF_ALL: &str = "
    WITH seen AS (
        (SELECT game_id FROM record
         WHERE visibility = 'public' AND (ended_at, game_id) < ($1, $2) AND ($3::text IS NULL OR status = $3)
         ORDER BY ended_at DESC, game_id DESC LIMIT $5)
        UNION
        (SELECT s.game_id FROM record_seat s JOIN record o USING (game_id)
         WHERE s.player_id = $4 AND (s.ended_at, s.game_id) < ($1, $2) AND ($3::text IS NULL OR o.status = $3)
         ORDER BY s.ended_at DESC, s.game_id DESC LIMIT $5))
    SELECT r.game_id, r.rated, r.visibility, r.time_control, r.plies, r.end_reason, r.abort_reason, r.started_at,
           r.ended_at
    FROM seen JOIN record r USING (game_id)
    ORDER BY r.ended_at DESC, r.game_id DESC LIMIT $5";

pub(super) async fn records(pool: &PgPool, query: &RecordQuery) -> Result<Vec<Summary>, StoreError> {
    let (ended, game) = query.before.map_or((UnixMs::MAX, Uuid::nil()), |(ended, game)| (ended, game.uuid()));
    let mut statement = sqlx::query(if query.player.is_some() { OF_A_PLAYER } else { OF_ALL })
        .bind(Instant(ended))
        .bind(game)
        .bind(query.status_word())
        .bind(query.viewer.map(PlayerId::uuid))
        .bind(i64::from(query.limit));
    if let Some(player) = query.player {
        statement = statement.bind(player.uuid());
    }
    let rows = statement.fetch_all(pool).await?;
    let mut summaries: Vec<_> = rows.iter().map(row::summary).collect::<Result<_, _>>()?;
    // Nothing that is shown of a seat changes after the game was recorded, so it may be read a moment later.
    let seats = sqlx::query(
        "SELECT * FROM record_seat WHERE game_id = ANY ($1) AND player_id IS NOT NULL ORDER BY game_id, turn",
    )
    .bind(summaries.iter().map(|summary| summary.game.uuid()).collect::<Vec<_>>())
    .fetch_all(pool)
    .await?;
    row::take_seats(&mut summaries, &seats)?;
    Ok(summaries)
}

pub(super) async fn rated_games(
    pool: &PgPool,
    class: Class,
    after: u64,
    limit: u32,
) -> Result<Vec<RatedGame>, StoreError> {
    let rows = sqlx::query(
        "SELECT r.sequence, a.player_id AS first, b.player_id AS second, c.player_id AS third, d.player_id AS fourth
         FROM record r
         JOIN record_seat a ON a.game_id = r.game_id AND a.place = 1
         JOIN record_seat b ON b.game_id = r.game_id AND b.place = 2
         JOIN record_seat c ON c.game_id = r.game_id AND c.place = 3
         JOIN record_seat d ON d.game_id = r.game_id AND d.place = 4
         WHERE r.class = $1 AND r.sequence > $2 ORDER BY r.sequence LIMIT $3",
    )
    .bind(class.as_str())
    .bind(i64::try_from(after).unwrap_or(i64::MAX))
    .bind(i64::from(limit))
    .fetch_all(pool)
    .await?;
    rows.iter().map(row::rated_game).collect()
}
