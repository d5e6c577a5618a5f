use std::io::Write as _;

use crate::arguments::Arguments;
use crate::journal::{Check, Seen, brief};

/// Findings of one check that are shown; all are in the folder.
const SHOWN: usize = 5;

/// A line for whoever watches.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// Counts of what is not in the journal.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) games: usize,
    pub(crate) over: usize,
    pub(crate) aborted: usize,
    pub(crate) rated: usize,
    pub(crate) moves: usize,
    pub(crate) outages: usize,
    pub(crate) credits: usize,
    pub(crate) expiring: usize,
}

/// The report as text, and whether nothing was found.
pub(crate) fn report(arguments: &Arguments, seen: &Seen, counts: &Counts) -> (String, bool) {
    let mut lines = vec![
        format!(
            "seed {}, {} games at once asked for, {} minutes of faults",
            arguments.seed, arguments.games, arguments.minutes
        ),
        format!(
            "games   {} ({} over, of them {} rated; {} aborted), at most {} at once",
            counts.games, counts.over, counts.rated, counts.aborted, seen.most_at_once
        ),
        format!(
            "moves   {} in logs, {} acknowledged; {} resignations acknowledged; {} tickets",
            counts.moves,
            seen.done.iter().filter(|done| done.played.is_some()).count(),
            seen.done.iter().filter(|done| done.played.is_none()).count(),
            seen.tickets.len()
        ),
        format!(
            "calls   {} requests, {} of them without an answer or UNAVAILABLE, and repeated",
            seen.requests, seen.repeated
        ),
        format!("time    {} outages in the store, {} credits to running turns", counts.outages, counts.credits),
        format!("Redis   {} keys left that expire by themselves", counts.expiring),
        "faults".to_owned(),
    ];
    lines.extend(seen.injected.iter().map(|(kind, times)| format!("  {times:>5}  {kind}")));
    lines.push("checks".to_owned());
    let mut failed = 0;
    for (check, what) in Check::ALL {
        let findings = seen.findings.get(&check).map_or(&[][..], Vec::as_slice);
        failed += usize::from(!findings.is_empty());
        lines.push(if findings.is_empty() {
            format!("  ok    {what}")
        } else {
            format!("  FAIL  {what}: {}", findings.len())
        });
        lines.extend(findings.iter().take(SHOWN).map(|finding| format!("        - {}", brief(finding))));
    }
    lines.push(format!("{} passed, {failed} failed", Check::ALL.len() - failed));
    (lines.join("\n"), failed == 0)
}
