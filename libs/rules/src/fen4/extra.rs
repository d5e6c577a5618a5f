//! The braces of a FEN4: keys with values, most of them other people's.

use super::read::{four, number};
use super::{Fen4Error, Field, Problem};
use crate::Setup;

/// Splits `{...}` from the front of a text. Quotes hide braces. None if it does not end.
pub(super) fn split_braces(text: &str) -> Option<(&str, &str)> {
    let end = scan(text.strip_prefix('{')?, |byte, depth| byte == b'}' && depth == 0)?;
    Some((&text[1..=end], &text[end + 2..]))
}

/// The index of the first byte outside quotes of which `stop` says so, given how many brackets are open around it.
fn scan(text: &str, stop: impl Fn(u8, usize) -> bool) -> Option<usize> {
    let mut quote = None;
    let mut depth = 0_usize;
    for (index, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, _) if stop(byte, depth) => return Some(index),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    None
}

/// Reads the keys that are ours into the setup and returns the names of the others.
pub(super) fn read(mut text: &str, setup: &mut Setup) -> Result<Vec<String>, Fen4Error> {
    let mut seen = Vec::new();
    let mut unknown = Vec::new();
    while !text.is_empty() {
        let end = scan(text, |byte, depth| byte == b',' && depth == 0);
        let (entry, rest) = end.map_or((text, ""), |comma| (&text[..comma], &text[comma + 1..]));
        let refusal = Fen4Error::new(Field::Extra, Problem::Expected("'key':value, separated by commas"));
        if end.is_some() && rest.is_empty() {
            return Err(refusal);
        }
        text = rest;
        let colon = scan(entry, |byte, _| byte == b':');
        let (key, value) = colon
            .and_then(|colon| Some((unquoted(&entry[..colon])?, &entry[colon + 1..])))
            .filter(|(_, value)| !value.is_empty())
            .ok_or(refusal)?;
        let (field, flags) = match key {
            "resigned" => (Field::Resigned, Some(&mut setup.resigned)),
            "flagged" => (Field::Flagged, Some(&mut setup.timed_out)),
            "stalemated" => (Field::Stalemated, Some(&mut setup.stalemated)),
            "frozen" => (Field::Frozen, None),
            other => {
                unknown.push(other.to_owned());
                continue;
            }
        };
        if seen.contains(&field) {
            return Err(Fen4Error::new(field, Problem::GivenTwice));
        }
        seen.push(field);
        match flags {
            Some(flags) => *flags = booleans(field, value)?,
            None => setup.frozen = results(value)?,
        }
    }
    Ok(unknown)
}

fn unquoted(text: &str) -> Option<&str> {
    ['\'', '"']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote).filter(|inside| !inside.contains(quote)))
}

fn tuple(field: Field, text: &str) -> Result<[&str; 4], Fen4Error> {
    text.strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
        .and_then(four)
        .ok_or(Fen4Error::new(field, Problem::Expected("four values in parentheses")))
}

fn booleans(field: Field, text: &str) -> Result<[bool; 4], Fen4Error> {
    let mut flags = [false; 4];
    for (flag, word) in flags.iter_mut().zip(tuple(field, text)?) {
        *flag = match word {
            "true" => true,
            "false" => false,
            _ => return Err(Fen4Error::new(field, Problem::Expected("true or false"))),
        };
    }
    Ok(flags)
}

fn results(text: &str) -> Result<[Option<u32>; 4], Fen4Error> {
    let mut results = [None; 4];
    for (result, word) in results.iter_mut().zip(tuple(Field::Frozen, text)?) {
        let digits = unquoted(word).ok_or(Fen4Error::new(Field::Frozen, Problem::Expected("numbers in quotes")))?;
        *result = if digits.is_empty() {
            None
        } else {
            Some(number(digits).map_err(|problem| Fen4Error::new(Field::Frozen, problem))?)
        };
    }
    Ok(results)
}
