use proto::PlayerId;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::store::{Account, Known, Player, Scopes, StoreError, TokenKind, TokenRecord, UnixMs};
use crate::token::TokenHash;
use runtime::Instant;

pub(super) fn player(row: &PgRow) -> Result<Player, StoreError> {
    Ok(Player {
        id: player_id(row)?,
        name: row.try_get("name")?,
        guest: row.try_get::<Option<&str>, _>("password")?.is_none(),
        created: moment(row, "created_at")?,
    })
}

pub(super) fn account(row: &PgRow) -> Result<Account, StoreError> {
    Ok(Account { player: player(row)?, password: row.try_get::<String, _>("password")?.into() })
}

/// The token's own `created_at` is read as `made_at`.
pub(super) fn token(row: &PgRow) -> Result<TokenRecord, StoreError> {
    let label: Option<String> = row.try_get("label")?;
    Ok(TokenRecord {
        id: row.try_get("token_id")?,
        hash: TokenHash(bytes(row, "hash")?),
        player: player_id(row)?,
        kind: label.map_or(TokenKind::Session, |label| TokenKind::Bot { label }),
        scopes: Scopes { read: row.try_get("may_read")?, play: row.try_get("may_play")? },
        created: moment(row, "made_at")?,
        last_used: moment(row, "last_used_at")?,
        expires: moment(row, "expires_at")?,
    })
}

pub(super) fn known(row: &PgRow, claimed: bool) -> Result<Known, StoreError> {
    let status = row.try_get::<Option<i32>, _>("status")?.map(u16::try_from).transpose();
    let answer: Option<String> = row.try_get("body")?;
    Ok(Known {
        seed: bytes(row, "seed")?,
        fingerprint: bytes(row, "fingerprint")?,
        answer: status.map_err(|_| StoreError::Corrupt("answer"))?.zip(answer),
        claimed,
    })
}

pub(super) fn bytes(row: &PgRow, column: &str) -> Result<[u8; 32], StoreError> {
    row.try_get::<&[u8], _>(column)?.try_into().map_err(|_| StoreError::Corrupt("32 bytes"))
}

fn player_id(row: &PgRow) -> Result<PlayerId, StoreError> {
    Ok(row.try_get::<Uuid, _>("player_id")?.into())
}

fn moment(row: &PgRow, column: &str) -> Result<UnixMs, StoreError> {
    Ok(row.try_get::<Instant, _>(column)?.unix_ms())
}
