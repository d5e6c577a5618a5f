//! Accounts in the schema `gateway` of PostgreSQL, for any number of replicas.
//!
//! Accounts have names of their own, and no guest shows one: who takes a name for an account locks it, who shows it as
//! a guest shares the lock, each to the end of its transaction.

mod players;
mod rows;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use proto::PlayerId;
use runtime::Postgres;
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use uuid::Uuid;

use super::{
    Account, AccountStore, Claim, Enrolled, Known, NameTaken, Player, StoreError, TokenKind, TokenRecord, UnixMs,
};
use crate::name::Name;
use crate::token::TokenHash;
use runtime::Instant;

/// How often a transaction is begun again that another one got in the way of.
const ATTEMPTS: usize = 4;

/// [`AccountStore`] on PostgreSQL.
#[derive(Debug, Clone)]
pub struct PostgresAccounts {
    pool: PgPool,
}

impl PostgresAccounts {
    /// Brings the schema to its newest form.
    ///
    /// # Errors
    /// If the schema is of a newer release or cannot be written.
    pub async fn migrate(postgres: &Postgres) -> anyhow::Result<()> {
        postgres.migrate(migrations()).await
    }

    /// On a schema in its newest form.
    ///
    /// # Errors
    /// If the schema is older or newer than this build.
    pub async fn open(postgres: Postgres) -> anyhow::Result<Self> {
        postgres.verify(&migrations()).await?;
        Ok(Self { pool: postgres.pool })
    }
}

fn migrations() -> Migrator {
    sqlx::migrate!("./migrations/postgres")
}

/// Whether the same transaction may well succeed now that the one in its way is over: it did the same, or the server
/// chose this one to give way.
fn may_succeed_now(error: &StoreError) -> bool {
    let StoreError::Sql(error) = error else { return false };
    error.as_database_error().is_some_and(|error| {
        error.constraint() == Some("player_key") || matches!(error.code().as_deref(), Some("40001" | "40P01"))
    })
}

/// Does the work again as long as that helps.
macro_rules! patiently {
    ($work:expr) => {{
        let mut again = 1..ATTEMPTS;
        loop {
            match $work.await {
                Err(error) if may_succeed_now(&error) && again.next().is_some() => {}
                done => return done,
            }
        }
    }};
}

#[async_trait]
impl AccountStore for PostgresAccounts {
    async fn add_guest(&self, id: PlayerId, wish: Name, token: TokenRecord) -> Result<Player, StoreError> {
        patiently!(players::add_guest(&self.pool, id, &wish, &token))
    }

    async fn add_account(
        &self,
        id: PlayerId,
        name: Name,
        password: String,
        token: TokenRecord,
    ) -> Result<Result<Enrolled, NameTaken>, StoreError> {
        patiently!(players::add_account(&self.pool, id, &name, &password, &token))
    }

    async fn upgrade(
        &self,
        id: PlayerId,
        name: Name,
        password: String,
        now: UnixMs,
    ) -> Result<Option<Result<Enrolled, NameTaken>>, StoreError> {
        patiently!(players::upgrade(&self.pool, id, &name, &password, now))
    }

    async fn account(&self, name: &Name) -> Result<Option<Account>, StoreError> {
        let row = sqlx::query("SELECT * FROM player WHERE name_key = $1 AND password IS NOT NULL")
            .bind(name.key())
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(rows::account).transpose()
    }

    async fn players(&self, ids: &[PlayerId]) -> Result<Vec<Player>, StoreError> {
        let rows = sqlx::query("SELECT * FROM player WHERE player_id = ANY ($1)")
            .bind(ids.iter().map(|id| id.uuid()).collect::<Vec<_>>())
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(rows::player).collect()
    }

    async fn add_token(&self, token: TokenRecord) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await?;
        players::insert_token(&mut connection, &token).await
    }

    async fn token(&self, hash: TokenHash, now: UnixMs) -> Result<Option<(TokenRecord, Player)>, StoreError> {
        let row = sqlx::query(
            "SELECT player.player_id, player.name, player.password, player.created_at,
                token_id, hash, kind, label, may_read, may_play, token.created_at AS made_at, last_used_at, expires_at
             FROM token JOIN player ON player.player_id = token.player_id WHERE hash = $1 AND expires_at > $2",
        )
        .bind(&hash.0[..])
        .bind(Instant(now))
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(|row| Ok((rows::token(row)?, rows::player(row)?))).transpose()
    }

    async fn touch_token(&self, id: Uuid, now: UnixMs, expires: UnixMs) -> Result<(), StoreError> {
        sqlx::query("UPDATE token SET last_used_at = $2, expires_at = $3 WHERE token_id = $1 AND last_used_at < $2")
            .bind(id)
            .bind(Instant(now))
            .bind(Instant(expires))
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn revoke_token(&self, player: PlayerId, id: Uuid) -> Result<Option<TokenHash>, StoreError> {
        let row = sqlx::query("DELETE FROM token WHERE token_id = $1 AND player_id = $2 RETURNING hash")
            .bind(id)
            .bind(player.uuid())
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(|row| Ok(TokenHash(rows::bytes(row, "hash")?))).transpose()
    }

    async fn bot_tokens(&self, player: PlayerId, now: UnixMs) -> Result<Vec<TokenRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT *, created_at AS made_at FROM token WHERE player_id = $1 AND kind = 'bot' AND expires_at > $2
             ORDER BY created_at DESC, token_id DESC",
        )
        .bind(player.uuid())
        .bind(Instant(now))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(rows::token).collect()
    }

    /// Claims run by the server's clock, those of replicas need not agree.
    async fn open_answer(
        &self,
        key: [u8; 32],
        fingerprint: [u8; 32],
        seed: [u8; 32],
        claim: Claim,
        now: UnixMs,
    ) -> Result<Known, StoreError> {
        loop {
            let claimed = sqlx::query(
                "INSERT INTO answer AS kept (key, fingerprint, seed, created_at, claimant, claimed_until)
                 VALUES ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 millisecond')
                 ON CONFLICT (key) DO UPDATE SET claimant = EXCLUDED.claimant, claimed_until = EXCLUDED.claimed_until
                 WHERE kept.status IS NULL AND kept.fingerprint = EXCLUDED.fingerprint
                    AND (kept.claimant = EXCLUDED.claimant OR kept.claimed_until <= clock_timestamp())
                 RETURNING fingerprint, seed, status, body",
            )
            .bind(&key[..])
            .bind(&fingerprint[..])
            .bind(&seed[..])
            .bind(Instant(now))
            .bind(claim.by)
            .bind(i64::try_from(claim.lasts.as_millis()).unwrap_or(i64::MAX))
            .fetch_optional(&self.pool)
            .await?;
            if let Some(row) = &claimed {
                return rows::known(row, true);
            }
            let row = sqlx::query("SELECT fingerprint, seed, status, body FROM answer WHERE key = $1")
                .bind(&key[..])
                .fetch_optional(&self.pool)
                .await?;
            // If it is gone it was swept in between.
            if let Some(row) = &row {
                return rows::known(row, false);
            }
        }
    }

    async fn keep_answer(&self, key: [u8; 32], status: u16, answer: String) -> Result<(), StoreError> {
        sqlx::query("UPDATE answer SET status = $2, body = $3 WHERE key = $1 AND status IS NULL")
            .bind(&key[..])
            .bind(i32::from(status))
            .bind(answer)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn sweep(&self, now: UnixMs, answers_before: UnixMs) -> Result<u64, StoreError> {
        let tokens =
            sqlx::query("DELETE FROM token WHERE expires_at <= $1").bind(Instant(now)).execute(&self.pool).await?;
        let answers = sqlx::query("DELETE FROM answer WHERE created_at < $1")
            .bind(Instant(answers_before))
            .execute(&self.pool)
            .await?;
        Ok(tokens.rows_affected() + answers.rows_affected())
    }
}

/// The kind's word and label.
fn kind_columns(kind: &TokenKind) -> (&'static str, Option<&str>) {
    match kind {
        TokenKind::Session => ("session", None),
        TokenKind::Bot { label } => ("bot", Some(label)),
    }
}
