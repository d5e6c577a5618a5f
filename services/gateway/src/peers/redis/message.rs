use proto::PlayerId;
use uuid::Uuid;

use super::super::News;
use crate::token::TokenHash;

const DIED: u8 = b'D';
const CHANGED: u8 = b'C';

/// As it goes over the channel; `None` for what is not told.
pub(super) fn write(news: News) -> Option<Vec<u8>> {
    match news {
        News::Died(TokenHash(hash)) => Some([&[DIED][..], &hash].concat()),
        News::Changed(player) => Some([&[CHANGED][..], player.uuid().as_bytes()].concat()),
        News::Missed => None,
    }
}

/// `None` for what a newer build tells.
pub(super) fn read(message: &[u8]) -> Option<News> {
    let (kind, rest) = message.split_first()?;
    match *kind {
        DIED => Some(News::Died(TokenHash(rest.try_into().ok()?))),
        CHANGED => Some(News::Changed(PlayerId::from(Uuid::from_slice(rest).ok()?))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_arrives_as_it_was_told() {
        for news in [News::Died(TokenHash([7; 32])), News::Changed(PlayerId::new())] {
            assert_eq!(read(&write(news).unwrap()), Some(news));
        }
        for other in [&b""[..], b"D", b"Dshort", b"C0123456789abcdef0", b"X0123456789abcdef"] {
            assert_eq!(read(other), None);
        }
        assert_eq!(write(News::Missed), None);
    }
}
