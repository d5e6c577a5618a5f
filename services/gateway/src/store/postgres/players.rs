//! What is whole or not at all when somebody comes or takes a name.

use proto::PlayerId;
use sqlx::{PgConnection, PgPool};

use super::{kind_columns, rows};
use crate::name::Name;
use crate::store::{Enrolled, NAME_TRIES, NameTaken, Player, StoreError, TokenRecord, UnixMs};
use runtime::Instant;

/// Of advisory locks on names; the second number is a hash of the name.
const NAMES: i32 = 0x4B_4E_41_4D;

pub(super) async fn add_guest(
    pool: &PgPool,
    id: PlayerId,
    wish: &Name,
    token: &TokenRecord,
) -> Result<Player, StoreError> {
    let mut tx = pool.begin().await?;
    if let Some(player) = player(&mut tx, id).await? {
        return Ok(player);
    }
    let name = free_name(&mut tx, wish.clone()).await?;
    insert_player(&mut tx, id, &name, None, token.created).await?;
    insert_token(&mut tx, token).await?;
    tx.commit().await?;
    Ok(Player { id, name: name.to_string(), guest: true, created: token.created })
}

pub(super) async fn add_account(
    pool: &PgPool,
    id: PlayerId,
    name: &Name,
    password: &str,
    token: &TokenRecord,
) -> Result<Result<Enrolled, NameTaken>, StoreError> {
    let mut tx = pool.begin().await?;
    lock(&mut tx, name).await?;
    if let Some(player) = player(&mut tx, id).await? {
        return Ok(Ok(Enrolled { player, renamed: Vec::new() }));
    }
    match insert_player(&mut tx, id, name, Some(password), token.created).await {
        Err(error) if is_name_taken(&error) => return Ok(Err(NameTaken)),
        inserted => inserted?,
    }
    insert_token(&mut tx, token).await?;
    let renamed = rename_guests(&mut tx, name).await?;
    tx.commit().await?;
    let player = Player { id, name: name.to_string(), guest: false, created: token.created };
    Ok(Ok(Enrolled { player, renamed }))
}

pub(super) async fn upgrade(
    pool: &PgPool,
    id: PlayerId,
    name: &Name,
    password: &str,
    now: UnixMs,
) -> Result<Option<Result<Enrolled, NameTaken>>, StoreError> {
    let mut tx = pool.begin().await?;
    lock(&mut tx, name).await?;
    let changed = sqlx::query(
        "UPDATE player SET name = $2, password = $3, upgraded_at = $4
         WHERE player_id = $1 AND password IS NULL RETURNING *",
    )
    .bind(id.uuid())
    .bind(name.as_str())
    .bind(password)
    .bind(Instant(now))
    .fetch_optional(&mut *tx)
    .await
    .map_err(StoreError::from);
    let player = match changed {
        Err(error) if is_name_taken(&error) => return Ok(Some(Err(NameTaken))),
        changed => changed?.as_ref().map(rows::player).transpose()?,
    };
    let Some(player) = player else { return Ok(None) };
    let renamed = rename_guests(&mut tx, name).await?;
    tx.commit().await?;
    Ok(Some(Ok(Enrolled { player, renamed })))
}

fn is_name_taken(error: &StoreError) -> bool {
    let StoreError::Sql(error) = error else { return false };
    error.as_database_error().is_some_and(|error| error.constraint() == Some("player_account_name"))
}

async fn player(connection: &mut PgConnection, id: PlayerId) -> Result<Option<Player>, StoreError> {
    let row =
        sqlx::query("SELECT * FROM player WHERE player_id = $1").bind(id.uuid()).fetch_optional(connection).await?;
    row.as_ref().map(rows::player).transpose()
}

/// Nobody else takes or shows the name until the transaction ends.
async fn lock(connection: &mut PgConnection, name: &Name) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_advisory_xact_lock($1, hashtext($2))")
        .bind(NAMES)
        .bind(name.key())
        .execute(connection)
        .await?;
    Ok(())
}

/// A name that no account has, and none will take until the transaction ends.
async fn free_name(connection: &mut PgConnection, wish: Name) -> Result<Name, StoreError> {
    let mut name = wish.clone();
    for _ in 0..NAME_TRIES {
        sqlx::query("SELECT pg_advisory_xact_lock_shared($1, hashtext($2))")
            .bind(NAMES)
            .bind(name.key())
            .execute(&mut *connection)
            .await?;
        let taken = sqlx::query("SELECT 1 FROM player WHERE name_key = $1 AND password IS NOT NULL")
            .bind(name.key())
            .fetch_optional(&mut *connection)
            .await?;
        if taken.is_none() {
            return Ok(name);
        }
        name = wish.varied();
    }
    Ok(Name::generated())
}

async fn rename_guests(connection: &mut PgConnection, name: &Name) -> Result<Vec<PlayerId>, StoreError> {
    let rows = sqlx::query("SELECT * FROM player WHERE name_key = $1 AND password IS NULL")
        .bind(name.key())
        .fetch_all(&mut *connection)
        .await?;
    let mut renamed = Vec::new();
    for row in &rows {
        let guest = rows::player(row)?;
        let other = free_name(connection, name.varied()).await?;
        let changed = sqlx::query("UPDATE player SET name = $2 WHERE player_id = $1 AND password IS NULL")
            .bind(guest.id.uuid())
            .bind(other.as_str())
            .execute(&mut *connection)
            .await?;
        if changed.rows_affected() > 0 {
            renamed.push(guest.id);
        }
    }
    Ok(renamed)
}

async fn insert_player(
    connection: &mut PgConnection,
    id: PlayerId,
    name: &Name,
    password: Option<&str>,
    now: UnixMs,
) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO player (player_id, name, password, created_at) VALUES ($1, $2, $3, $4)")
        .bind(id.uuid())
        .bind(name.as_str())
        .bind(password)
        .bind(Instant(now))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn insert_token(connection: &mut PgConnection, token: &TokenRecord) -> Result<(), StoreError> {
    let (kind, label) = kind_columns(&token.kind);
    sqlx::query(
        "INSERT INTO token (token_id, hash, player_id, kind, label, may_read, may_play, created_at, last_used_at,
            expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
    )
    .bind(token.id)
    .bind(&token.hash.0[..])
    .bind(token.player.uuid())
    .bind(kind)
    .bind(label)
    .bind(token.scopes.read)
    .bind(token.scopes.play)
    .bind(Instant(token.created))
    .bind(Instant(token.last_used))
    .bind(Instant(token.expires))
    .execute(connection)
    .await?;
    Ok(())
}
