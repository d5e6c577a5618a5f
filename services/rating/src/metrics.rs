use crate::record::{Ending, Record};

const GAMES: &str = "rating_games_recorded_total";
const CONTRADICTIONS: &str = "rating_contradictions_total";
const TICKETS: &str = "rating_tickets_recorded_total";

/// Says what each number means, and begins those that count rare things.
pub(crate) fn describe() {
    metrics::describe_counter!(GAMES, "Games recorded for the first time");
    metrics::describe_counter!(CONTRADICTIONS, "Reports of a recorded game that tell another story; none is expected");
    metrics::describe_counter!(TICKETS, "Reports of closed tickets, repeats included");
    // What has not happened yet is listed as nothing, so that its rate is known from the start.
    for (status, rated) in [("over", "true"), ("over", "false"), ("aborted", "true"), ("aborted", "false")] {
        metrics::counter!(GAMES, "status" => status, "rated" => rated).absolute(0);
    }
    metrics::counter!(CONTRADICTIONS).absolute(0);
    metrics::counter!(TICKETS).absolute(0);
}

pub(crate) fn game_recorded(record: &Record) {
    let status = match record.ending {
        Ending::Over(_) => "over",
        Ending::Aborted { .. } => "aborted",
    };
    metrics::counter!(GAMES, "status" => status, "rated" => record.rated.to_string()).increment(1);
}

pub(crate) fn contradiction() {
    metrics::counter!(CONTRADICTIONS).increment(1);
}

pub(crate) fn ticket_recorded() {
    metrics::counter!(TICKETS).increment(1);
}
