use std::sync::Arc;
use std::time::Duration;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use proto::{Code, Refusal};
use runtime::Secret;
use tokio::sync::Semaphore;

/// Of a password, in characters.
const SHORTEST: usize = 8;
const LONGEST: usize = 200;
/// Hashing takes 19 MiB and a core each.
const AT_ONCE: usize = 2;
const QUEUE_TIME: Duration = Duration::from_secs(10);

/// Hashes and checks passwords with argon2id, a few at a time and off the async threads.
#[derive(Debug, Clone)]
pub(crate) struct Passwords {
    permits: Arc<Semaphore>,
    /// Hash of a password that nobody has, so that an unknown name takes as long as a wrong password.
    nobody: Arc<str>,
}

impl Passwords {
    pub(crate) async fn new() -> anyhow::Result<Self> {
        let mut passwords = Self { permits: Arc::new(Semaphore::new(AT_ONCE)), nobody: Arc::from("") };
        let unguessable = crate::token::Token::from_bytes(rand::random()).expose().to_owned();
        passwords.nobody = passwords.hash(unguessable).await.map_err(|refusal| anyhow::anyhow!(refusal))?.into();
        Ok(passwords)
    }

    /// Refuses what is too short or too long.
    pub(crate) fn check_form(password: &str) -> Result<(), Refusal> {
        if (SHORTEST..=LONGEST).contains(&password.chars().count()) {
            Ok(())
        } else {
            Err(Refusal::bad_request("password", format_args!("must be {SHORTEST} to {LONGEST} characters")))
        }
    }

    /// A PHC string with a salt of its own.
    pub(crate) async fn hash(&self, password: String) -> Result<String, Refusal> {
        self.run(move || Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string())).await
    }

    /// Whether the password is the one that was hashed; without a hash it never is, and takes as long.
    pub(crate) async fn verify(&self, password: String, hash: Option<Secret>) -> Result<bool, Refusal> {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| Secret::from(self.nobody.to_string()));
        let fits = self
            .run(move || {
                let hash = PasswordHash::new(hash.expose())?;
                Ok::<_, argon2::password_hash::phc::Error>(
                    Argon2::default().verify_password(password.as_bytes(), &hash).is_ok(),
                )
            })
            .await?;
        Ok(fits && known)
    }

    /// A hash of a text that holds a password, for comparing requests; slow on purpose.
    pub(crate) async fn stretch(&self, text: String, salt: [u8; 32]) -> Result<[u8; 32], Refusal> {
        self.run(move || {
            let mut out = [0; 32];
            Argon2::default().hash_password_into(text.as_bytes(), &salt, &mut out).map(|()| out)
        })
        .await
    }

    async fn run<T, E>(&self, work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, Refusal>
    where
        T: Send + 'static,
        E: std::fmt::Display + Send + 'static,
    {
        let permit = tokio::time::timeout(QUEUE_TIME, Arc::clone(&self.permits).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(Refusal::unavailable()) };
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        match done.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => {
                tracing::error!(%error, "a password could not be hashed");
                Err(Refusal::new(Code::Internal, "something went wrong on our side"))
            }
            Err(_) => Err(Refusal::unavailable()),
        }
    }
}
