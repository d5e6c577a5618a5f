//! Accounts in the one SQLite file.

use async_trait::async_trait;
use proto::PlayerId;
use runtime::Sqlite;
use sqlx::{Row as _, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use uuid::Uuid;

use super::{
    Account, AccountStore, Claim, Enrolled, Known, NAME_TRIES, NameTaken, Player, Scopes, StoreError, TokenKind,
    TokenRecord, UnixMs,
};
use crate::name::Name;
use crate::token::TokenHash;

/// [`AccountStore`] on SQLite.
#[derive(Debug, Clone)]
pub struct SqliteAccounts {
    reader: SqlitePool,
    writer: SqlitePool,
}

impl SqliteAccounts {
    /// Brings the tables to their newest form.
    ///
    /// # Errors
    /// If they are of a newer release or cannot be written.
    pub async fn migrate(sqlite: &Sqlite) -> anyhow::Result<()> {
        sqlite.migrate("gateway", sqlx::migrate!("./migrations/sqlite")).await
    }

    /// Brings the tables up to date and opens the store.
    ///
    /// # Errors
    /// If the migrations fail.
    pub async fn open(sqlite: &Sqlite) -> anyhow::Result<Self> {
        Self::migrate(sqlite).await?;
        Ok(Self { reader: sqlite.reader.clone(), writer: sqlite.writer.clone() })
    }
}

#[async_trait]
impl AccountStore for SqliteAccounts {
    async fn add_guest(&self, id: PlayerId, wish: Name, token: TokenRecord) -> Result<Player, StoreError> {
        let mut tx = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        if let Some(player) = player(&mut tx, id).await? {
            return Ok(player);
        }
        let name = free_name(&mut tx, wish).await?;
        insert_player(&mut tx, id, &name, None, token.created).await?;
        insert_token(&mut tx, &token).await?;
        tx.commit().await?;
        Ok(Player { id, name: name.to_string(), guest: true, created: token.created })
    }

    async fn add_account(
        &self,
        id: PlayerId,
        name: Name,
        password: String,
        token: TokenRecord,
    ) -> Result<Result<Enrolled, NameTaken>, StoreError> {
        let mut tx = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        if let Some(player) = player(&mut tx, id).await? {
            return Ok(Ok(Enrolled { player, renamed: Vec::new() }));
        }
        if is_taken(&mut tx, &name).await? {
            return Ok(Err(NameTaken));
        }
        insert_player(&mut tx, id, &name, Some(&password), token.created).await?;
        insert_token(&mut tx, &token).await?;
        let renamed = rename_guests(&mut tx, &name).await?;
        tx.commit().await?;
        let player = Player { id, name: name.to_string(), guest: false, created: token.created };
        Ok(Ok(Enrolled { player, renamed }))
    }

    async fn upgrade(
        &self,
        id: PlayerId,
        name: Name,
        password: String,
        now: UnixMs,
    ) -> Result<Option<Result<Enrolled, NameTaken>>, StoreError> {
        let mut tx = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        let Some(guest) = player(&mut tx, id).await?.filter(|player| player.guest) else { return Ok(None) };
        if is_taken(&mut tx, &name).await? {
            return Ok(Some(Err(NameTaken)));
        }
        sqlx::query("update gateway_player set name = ?, name_key = ?, password = ?, upgraded_ms = ? where id = ?")
            .bind(name.as_str())
            .bind(name.key())
            .bind(password)
            .bind(now)
            .bind(id.to_string())
            .execute(&mut *tx)
            .await?;
        let renamed = rename_guests(&mut tx, &name).await?;
        tx.commit().await?;
        let player = Player { name: name.to_string(), guest: false, ..guest };
        Ok(Some(Ok(Enrolled { player, renamed })))
    }

    async fn account(&self, name: &Name) -> Result<Option<Account>, StoreError> {
        let row = sqlx::query("select * from gateway_player where name_key = ? and password is not null")
            .bind(name.key())
            .fetch_optional(&self.reader)
            .await?;
        row.map(|row| {
            Ok(Account { player: read_player(&row)?, password: row.try_get::<String, _>("password")?.into() })
        })
        .transpose()
    }

    async fn players(&self, ids: &[PlayerId]) -> Result<Vec<Player>, StoreError> {
        let ids = serde_json::to_string(&ids.iter().map(ToString::to_string).collect::<Vec<_>>())
            .map_err(|_| StoreError::Corrupt("ids"))?;
        let rows = sqlx::query("select * from gateway_player where id in (select value from json_each(?))")
            .bind(ids)
            .fetch_all(&self.reader)
            .await?;
        rows.iter().map(read_player).collect()
    }

    async fn add_token(&self, token: TokenRecord) -> Result<(), StoreError> {
        let mut connection = self.writer.acquire().await?;
        insert_token(&mut connection, &token).await
    }

    async fn token(&self, hash: TokenHash, now: UnixMs) -> Result<Option<(TokenRecord, Player)>, StoreError> {
        let token = sqlx::query("select * from gateway_token where hash = ? and expires_ms > ?")
            .bind(&hash.0[..])
            .bind(now)
            .fetch_optional(&self.reader)
            .await?;
        let Some(token) = token.as_ref().map(read_token).transpose()? else { return Ok(None) };
        let mut connection = self.reader.acquire().await?;
        Ok(player(&mut connection, token.player).await?.map(|player| (token, player)))
    }

    async fn touch_token(&self, id: Uuid, now: UnixMs, expires: UnixMs) -> Result<(), StoreError> {
        sqlx::query("update gateway_token set last_used_ms = ?, expires_ms = ? where id = ? and last_used_ms < ?")
            .bind(now)
            .bind(expires)
            .bind(id.to_string())
            .bind(now)
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    async fn revoke_token(&self, player: PlayerId, id: Uuid) -> Result<Option<TokenHash>, StoreError> {
        let row = sqlx::query("delete from gateway_token where id = ? and player_id = ? returning hash")
            .bind(id.to_string())
            .bind(player.to_string())
            .fetch_optional(&self.writer)
            .await?;
        row.map(|row| Ok(TokenHash(bytes(&row, "hash")?))).transpose()
    }

    async fn bot_tokens(&self, player: PlayerId, now: UnixMs) -> Result<Vec<TokenRecord>, StoreError> {
        let rows = sqlx::query(
            "select * from gateway_token where player_id = ? and kind = 'bot' and expires_ms > ?
             order by created_ms desc, id desc",
        )
        .bind(player.to_string())
        .bind(now)
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(read_token).collect()
    }

    async fn open_answer(
        &self,
        key: [u8; 32],
        fingerprint: [u8; 32],
        seed: [u8; 32],
        claim: Claim,
        now: UnixMs,
    ) -> Result<Known, StoreError> {
        let mut tx = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        let claimed = sqlx::query(
            "insert into gateway_answer as kept (key, fingerprint, seed, created_ms, claimant, claimed_until_ms)
             values (?, ?, ?, ?, ?, ?)
             on conflict do update set claimant = excluded.claimant, claimed_until_ms = excluded.claimed_until_ms
             where kept.status is null and kept.fingerprint = excluded.fingerprint
                and (kept.claimant = excluded.claimant or kept.claimed_until_ms <= excluded.created_ms)",
        )
        .bind(&key[..])
        .bind(&fingerprint[..])
        .bind(&seed[..])
        .bind(now)
        .bind(claim.by.to_string())
        .bind(now.saturating_add(i64::try_from(claim.lasts.as_millis()).unwrap_or(i64::MAX)))
        .execute(&mut *tx)
        .await?;
        let row = sqlx::query("select * from gateway_answer where key = ?").bind(&key[..]).fetch_one(&mut *tx).await?;
        tx.commit().await?;
        let status: Option<u16> = row.try_get("status")?;
        let answer: Option<String> = row.try_get("answer")?;
        Ok(Known {
            seed: bytes(&row, "seed")?,
            fingerprint: bytes(&row, "fingerprint")?,
            answer: status.zip(answer),
            claimed: claimed.rows_affected() > 0,
        })
    }

    async fn keep_answer(&self, key: [u8; 32], status: u16, answer: String) -> Result<(), StoreError> {
        sqlx::query("update gateway_answer set status = ?, answer = ? where key = ? and status is null")
            .bind(status)
            .bind(answer)
            .bind(&key[..])
            .execute(&self.writer)
            .await?;
        Ok(())
    }

    async fn sweep(&self, now: UnixMs, answers_before: UnixMs) -> Result<u64, StoreError> {
        let tokens =
            sqlx::query("delete from gateway_token where expires_ms <= ?").bind(now).execute(&self.writer).await?;
        let answers = sqlx::query("delete from gateway_answer where created_ms < ?")
            .bind(answers_before)
            .execute(&self.writer)
            .await?;
        Ok(tokens.rows_affected() + answers.rows_affected())
    }
}

async fn player(connection: &mut SqliteConnection, id: PlayerId) -> Result<Option<Player>, StoreError> {
    let row = sqlx::query("select * from gateway_player where id = ?")
        .bind(id.to_string())
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(read_player).transpose()
}

async fn is_taken(connection: &mut SqliteConnection, name: &Name) -> Result<bool, StoreError> {
    let row = sqlx::query("select 1 from gateway_player where name_key = ? and password is not null")
        .bind(name.key())
        .fetch_optional(connection)
        .await?;
    Ok(row.is_some())
}

async fn free_name(connection: &mut SqliteConnection, wish: Name) -> Result<Name, StoreError> {
    let mut name = wish.clone();
    for _ in 0..NAME_TRIES {
        if !is_taken(connection, &name).await? {
            return Ok(name);
        }
        name = wish.varied();
    }
    Ok(Name::generated())
}

async fn rename_guests(connection: &mut SqliteConnection, name: &Name) -> Result<Vec<PlayerId>, StoreError> {
    let rows = sqlx::query("select * from gateway_player where name_key = ? and password is null")
        .bind(name.key())
        .fetch_all(&mut *connection)
        .await?;
    let mut renamed = Vec::new();
    for row in &rows {
        let guest = read_player(row)?;
        let other = free_name(connection, name.varied()).await?;
        sqlx::query("update gateway_player set name = ?, name_key = ? where id = ?")
            .bind(other.as_str())
            .bind(other.key())
            .bind(guest.id.to_string())
            .execute(&mut *connection)
            .await?;
        renamed.push(guest.id);
    }
    Ok(renamed)
}

async fn insert_player(
    connection: &mut SqliteConnection,
    id: PlayerId,
    name: &Name,
    password: Option<&str>,
    now: UnixMs,
) -> Result<(), StoreError> {
    sqlx::query("insert into gateway_player (id, name, name_key, password, created_ms) values (?, ?, ?, ?, ?)")
        .bind(id.to_string())
        .bind(name.as_str())
        .bind(name.key())
        .bind(password)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert_token(connection: &mut SqliteConnection, token: &TokenRecord) -> Result<(), StoreError> {
    let (kind, label) = match &token.kind {
        TokenKind::Session => ("session", None),
        TokenKind::Bot { label } => ("bot", Some(label.as_str())),
    };
    let scopes = match token.scopes {
        Scopes { read: true, play: true } => "read play",
        Scopes { read: true, play: false } => "read",
        Scopes { read: false, play: true } => "play",
        Scopes { read: false, play: false } => "",
    };
    sqlx::query(
        "insert into gateway_token (id, hash, player_id, kind, label, scopes, created_ms, last_used_ms, expires_ms)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
    )
    .bind(token.id.to_string())
    .bind(&token.hash.0[..])
    .bind(token.player.to_string())
    .bind(kind)
    .bind(label)
    .bind(scopes)
    .bind(token.created)
    .bind(token.last_used)
    .bind(token.expires)
    .execute(connection)
    .await?;
    Ok(())
}

fn read_player(row: &SqliteRow) -> Result<Player, StoreError> {
    let password: Option<String> = row.try_get("password")?;
    Ok(Player {
        id: player_id(row, "id")?,
        name: row.try_get("name")?,
        guest: password.is_none(),
        created: row.try_get("created_ms")?,
    })
}

fn read_token(row: &SqliteRow) -> Result<TokenRecord, StoreError> {
    let scopes: String = row.try_get("scopes")?;
    let has = |scope| scopes.split(' ').any(|word| word == scope);
    let label: Option<String> = row.try_get("label")?;
    Ok(TokenRecord {
        id: row.try_get::<String, _>("id")?.parse().map_err(|_| StoreError::Corrupt("gateway_token"))?,
        hash: TokenHash(bytes(row, "hash")?),
        player: player_id(row, "player_id")?,
        kind: label.map_or(TokenKind::Session, |label| TokenKind::Bot { label }),
        scopes: Scopes { read: has("read"), play: has("play") },
        created: row.try_get("created_ms")?,
        last_used: row.try_get("last_used_ms")?,
        expires: row.try_get("expires_ms")?,
    })
}

fn player_id(row: &SqliteRow, column: &str) -> Result<PlayerId, StoreError> {
    row.try_get::<String, _>(column)?.parse().map_err(|_| StoreError::Corrupt("gateway_player"))
}

fn bytes(row: &SqliteRow, column: &str) -> Result<[u8; 32], StoreError> {
    let bytes: Vec<u8> = row.try_get(column)?;
    bytes.try_into().map_err(|_| StoreError::Corrupt("gateway_answer"))
}
