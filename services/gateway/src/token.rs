use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

const BYTES: usize = 32;

/// How long a token lives after its last use.
pub(crate) const LIFETIME_MS: i64 = 30 * 24 * 3600 * 1000;
/// How old the recorded last use may get before it is written again.
pub(crate) const TOUCH_MS: i64 = 3600 * 1000;

/// What a client calls with: 32 random bytes, base64url. Never logged, never stored.
#[derive(Clone)]
pub(crate) struct Token(String);

/// SHA-256 of a token, by which it is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash(pub [u8; 32]);

impl Token {
    pub(crate) fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// A text that could be a token.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == BYTES).then(|| Self(text.to_owned()))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

/// In a time that does not tell how much is right.
impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for Token {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_one_spelling_and_is_not_printed() {
        let token = Token::from_bytes([7; BYTES]);
        assert_eq!(Token::parse(token.expose()), Some(token.clone()));
        assert!(!format!("{token:?}").contains(token.expose()));
        for other in ["", "x", &format!("{}=", token.expose()), &token.expose()[1..], "ü", &"A".repeat(4000)] {
            assert_eq!(Token::parse(other), None, "{other:.20}");
        }
    }
}
