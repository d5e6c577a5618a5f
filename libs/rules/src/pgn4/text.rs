//! What headers and comments can hold. Readers and the writer share it, so that whatever is printed reads back as itself.

use std::borrow::Cow;

/// A header's opening at the start of a text, `[Name "`: the name, and the value with all that follows it.
pub(super) fn header_start(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('[')?.trim_start_matches([' ', '\t']);
    let (name, value) = inside.split_at(inside.find(|letter| !is_name_letter(letter))?);
    let value = value.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    (!name.is_empty()).then_some((name, value))
}

fn is_name_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':')
}

/// A header's name: other letters than those of words become `_`.
pub(super) fn header_name(name: &str) -> Cow<'_, str> {
    match name {
        "" => Cow::Borrowed("_"),
        _ if name.chars().all(is_name_letter) => Cow::Borrowed(name),
        _ => Cow::Owned(name.chars().map(|letter| if is_name_letter(letter) { letter } else { '_' }).collect()),
    }
}

/// A header's value: lines end with a line feed, and none of them looks like the end or the beginning of a header.
pub(super) fn header_value(value: &str) -> String {
    in_lines(value, "\"", |line| match line.trim_end().strip_suffix(']').map(str::trim_end) {
        Some(before) if before.ends_with('"') => Some(format!("{before})")),
        _ => None,
    })
}

/// A comment: no space around it, no brace that would end it, and no line that looks like the beginning of a header.
pub(super) fn comment(text: &str) -> String {
    in_lines(text.trim(), "", |_| None).replace('}', ")")
}

/// A text with line feeds between its lines. A line that begins like a header, but for the first, gets another
/// bracket; one that another follows, and that ends like a header, is what `otherwise` says. `after` is what stands
/// behind the text in a file.
fn in_lines(text: &str, after: &str, otherwise: impl Fn(&str) -> Option<String>) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n") + after;
    let mut lines = String::with_capacity(text.len());
    let mut rest = text.split('\n').peekable();
    while let Some(line) = rest.next() {
        let line = rest.peek().and_then(|_| otherwise(line)).map_or(Cow::Borrowed(line), Cow::Owned);
        if !lines.is_empty() && begins_like_a_header(&line) {
            lines.push_str(&line.replacen('[', "(", 1));
        } else {
            lines.push_str(&line);
        }
        lines.extend(rest.peek().map(|_| '\n'));
    }
    lines.truncate(lines.len() - after.len());
    lines
}

/// Whether a line, after space, begins with a header.
pub(super) fn begins_like_a_header(line: &str) -> bool {
    let in_line = |letter| is_space(letter) && !matches!(letter, '\n' | '\r');
    header_start(line.trim_start_matches(in_line)).is_some()
}

/// White space, and what nobody sees.
pub(super) fn is_space(letter: char) -> bool {
    letter.is_whitespace() || super::token::is_invisible(letter)
}

/// A text without what nobody sees.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.replace(super::token::is_invisible, "")) }
}
