use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proto::Refusal;

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;
const SEPARATOR: char = ' ';

/// How many items a list answers at once: 1 to 100, 20 if not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit(u32);

impl Limit {
    /// Zero is "not said".
    ///
    /// # Errors
    /// `BAD_REQUEST` above 100.
    pub(crate) fn new(limit: u32) -> Result<Self, Refusal> {
        match limit {
            0 => Ok(Self(DEFAULT_LIMIT)),
            1..=MAX_LIMIT => Ok(Self(limit)),
            _ => Err(Refusal::bad_request("limit", format_args!("expected 1 to {MAX_LIMIT}"))),
        }
    }

    /// Items on a page.
    #[must_use]
    pub(crate) fn get(self) -> usize {
        self.0 as usize
    }

    /// One more than a page, to see whether another follows.
    #[must_use]
    pub(crate) fn and_one_more(self) -> u32 {
        self.0 + 1
    }

    /// Cuts what was read with [`Limit::and_one_more`] to a page; true if more follow.
    pub(crate) fn cut<T>(self, items: &mut Vec<T>) -> bool {
        let more = items.len() > self.get();
        items.truncate(self.get());
        more
    }
}

/// A place in a list, opaque to callers: the sort key of the last item they have seen.
pub(crate) struct Cursor {
    parts: Vec<String>,
}

impl Cursor {
    /// `kind` names the list, so that a cursor of one list is refused by another.
    pub(crate) fn write(kind: &str, parts: &[&dyn ToString]) -> String {
        let mut text = kind.to_owned();
        for part in parts {
            text.push(SEPARATOR);
            text.push_str(&part.to_string());
        }
        URL_SAFE_NO_PAD.encode(text)
    }

    /// Reads a cursor that [`Cursor::write`] made for the same list; an empty text is the start of the list.
    pub(crate) fn read<const N: usize>(kind: &str, text: &str) -> Result<Option<Self>, Refusal> {
        if text.is_empty() {
            return Ok(None);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| malformed())?;
        let text = String::from_utf8(bytes).map_err(|_| malformed())?;
        let mut parts = text.split(SEPARATOR);
        if parts.next() != Some(kind) {
            return Err(malformed());
        }
        let parts: Vec<_> = parts.map(str::to_owned).collect();
        if parts.len() == N { Ok(Some(Self { parts })) } else { Err(malformed()) }
    }

    /// One part of the key, in the order written.
    pub(crate) fn part<T: std::str::FromStr>(&self, index: usize) -> Result<T, Refusal> {
        self.parts.get(index).and_then(|part| part.parse().ok()).ok_or_else(malformed)
    }
}

/// `BAD_REQUEST` of a cursor that this list never gave.
pub(crate) fn malformed() -> Refusal {
    Refusal::bad_request("cursor", "not a cursor of this list")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was_written() {
        let text = Cursor::write("list", &[&7u64, &"name"]);
        let cursor = Cursor::read::<2>("list", &text).unwrap().unwrap();
        assert_eq!(cursor.part::<u64>(0).unwrap(), 7);
        assert_eq!(cursor.part::<String>(1).unwrap(), "name");
        assert!(Cursor::read::<2>("list", "").unwrap().is_none());
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        let other = Cursor::write("other", &[&7u64, &"name"]);
        let longer = Cursor::write("list", &[&7u64, &"name", &1]);
        let number = Cursor::write("list", &[&"x", &"name"]);
        for text in ["%", "eA==", "_w", &other, &longer] {
            let Err(refusal) = Cursor::read::<2>("list", text) else { panic!("took {text}") };
            assert!(refusal.detail.starts_with("cursor"), "{}", refusal.detail);
        }
        assert!(Cursor::read::<2>("list", &number).unwrap().unwrap().part::<u64>(0).is_err());
    }

    #[test]
    fn limits_have_a_default_and_an_end() {
        assert_eq!(Limit::new(0).unwrap().get(), 20);
        assert_eq!(Limit::new(100).unwrap().get(), 100);
        assert!(Limit::new(101).unwrap_err().detail.starts_with("limit"));
    }
}
