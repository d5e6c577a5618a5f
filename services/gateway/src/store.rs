//! What the gateway remembers: players, tokens, and the answers to repeated requests.

use std::time::Duration;

use async_trait::async_trait;
use proto::PlayerId;
use runtime::Secret;
use uuid::Uuid;

use crate::name::Name;
use crate::token::TokenHash;

pub mod postgres;
pub mod sqlite;

/// How many names are tried for a guest before giving up; each has 9000 variants.
const NAME_TRIES: usize = 50;

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type UnixMs = i64;

/// Somebody who can play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// Never changes, not by becoming an account either.
    pub id: PlayerId,
    /// As shown.
    pub name: String,
    /// Has no account.
    pub guest: bool,
    /// When the player first came.
    pub created: UnixMs,
}

/// What a token may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scopes {
    /// Reading what needs a token.
    pub read: bool,
    /// Everything about playing.
    pub play: bool,
}

impl Scopes {
    /// What a session may do.
    pub const ALL: Self = Self { read: true, play: true };
}

/// How a token came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenKind {
    /// By signing up or in; may manage the account.
    Session,
    /// Made by an account for a program.
    Bot {
        /// What its owner calls it.
        label: String,
    },
}

/// A token as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// Names the token without being it.
    pub id: Uuid,
    /// By which it is found.
    pub hash: TokenHash,
    /// Whose it is.
    pub player: PlayerId,
    /// How it came to be.
    pub kind: TokenKind,
    /// What it may be used for.
    pub scopes: Scopes,
    /// When it was made.
    pub created: UnixMs,
    /// When it was last used, to the hour.
    pub last_used: UnixMs,
    /// When it dies unless it is used.
    pub expires: UnixMs,
}

/// An account and what proves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Who it is.
    pub player: Player,
    /// The password's PHC string.
    pub password: Secret,
}

/// The name belongs to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name is taken")]
pub struct NameTaken;

/// What an account's coming changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolled {
    /// The account's player.
    pub player: Player,
    /// Guests who had shown the name and have another now.
    pub renamed: Vec<PlayerId>,
}

/// What is known about a request with an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Everything the request makes is derived from it, also when it is repeated after a crash.
    pub seed: [u8; 32],
    /// Of what the first request asked for; another one means another request.
    pub fingerprint: [u8; 32],
    /// HTTP status and body, without any token, once it was answered.
    pub answer: Option<(u16, String)>,
    /// Whether the claimant may do the work now.
    pub claimed: bool,
}

/// A wish to work on a request with an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// Whoever has claimed before may do so again, and holds on longer.
    pub by: Uuid,
    /// When it ends by itself; at once gives it back.
    pub lasts: Duration,
}

/// The store could not do it; nothing is known of the outcome.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database failed.
    #[error(transparent)]
    Sql(#[from] sqlx::Error),
    /// A row cannot be understood.
    #[error("a row of {0} cannot be understood")]
    Corrupt(&'static str),
}

/// Where accounts live. Writes that are given an id or a hash of their own may be repeated: the second time they
/// change nothing and answer the same.
#[async_trait]
pub trait AccountStore: Send + Sync + std::fmt::Debug + 'static {
    /// Adds a guest with a first token. If an account has the name, the guest gets one like it.
    async fn add_guest(&self, id: PlayerId, wish: Name, token: TokenRecord) -> Result<Player, StoreError>;

    /// Adds an account with a first token. Guests who show the name are renamed.
    async fn add_account(
        &self,
        id: PlayerId,
        name: Name,
        password: String,
        token: TokenRecord,
    ) -> Result<Result<Enrolled, NameTaken>, StoreError>;

    /// Makes a guest an account; player and tokens stay. `None` if the player is no guest.
    async fn upgrade(
        &self,
        id: PlayerId,
        name: Name,
        password: String,
        now: UnixMs,
    ) -> Result<Option<Result<Enrolled, NameTaken>>, StoreError>;

    /// The account of this name, in any case.
    async fn account(&self, name: &Name) -> Result<Option<Account>, StoreError>;

    /// Those of the players that exist, in no order.
    async fn players(&self, ids: &[PlayerId]) -> Result<Vec<Player>, StoreError>;

    /// Adds a token to a player.
    async fn add_token(&self, token: TokenRecord) -> Result<(), StoreError>;

    /// The living token of this hash, and its player.
    async fn token(&self, hash: TokenHash, now: UnixMs) -> Result<Option<(TokenRecord, Player)>, StoreError>;

    /// A living token was used.
    async fn touch_token(&self, id: Uuid, now: UnixMs, expires: UnixMs) -> Result<(), StoreError>;

    /// Kills a player's token; its hash, if there was one.
    async fn revoke_token(&self, player: PlayerId, id: Uuid) -> Result<Option<TokenHash>, StoreError>;

    /// A player's living bot tokens, newest first.
    async fn bot_tokens(&self, player: PlayerId, now: UnixMs) -> Result<Vec<TokenRecord>, StoreError>;

    /// Remembers that a request with this key has come, unless one had before, and claims it, unless another claimant
    /// works on it, it was answered, or it asked for something else; what is known then.
    async fn open_answer(
        &self,
        key: [u8; 32],
        fingerprint: [u8; 32],
        seed: [u8; 32],
        claim: Claim,
        now: UnixMs,
    ) -> Result<Known, StoreError>;

    /// Keeps the first answer; later ones are ignored.
    async fn keep_answer(&self, key: [u8; 32], status: u16, answer: String) -> Result<(), StoreError>;

    /// Deletes dead tokens, and keys first seen before `answers_before`.
    async fn sweep(&self, now: UnixMs, answers_before: UnixMs) -> Result<u64, StoreError>;
}
