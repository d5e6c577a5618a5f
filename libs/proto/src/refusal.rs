use std::collections::HashMap;

use tonic_types::{ErrorDetails, StatusExt as _};

use crate::Code;

const DOMAIN: &str = "fourkingdoms";

/// Why something was not done: a code, a sentence for people, and facts for programs.
///
/// Travels between services as a gRPC status whose `ErrorInfo` holds the code's word as reason and the facts
/// as metadata; the gateway answers it as `application/problem+json`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {detail}")]
pub struct Refusal {
    /// The stable reason.
    pub code: Code,
    /// What exactly was wrong, for people; nothing internal.
    pub detail: String,
    /// The game's current ply, for refusals about a game.
    pub ply: Option<u32>,
    /// How long to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The ticket that is in the way (`ALREADY_WAITING`).
    pub ticket_id: Option<String>,
    /// The game that is in the way (`ALREADY_MATCHED`).
    pub game_id: Option<String>,
}

impl Refusal {
    /// A refusal without further facts.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), ply: None, retry_after_ms: None, ticket_id: None, game_id: None }
    }

    /// `BAD_REQUEST` that names the field.
    pub fn bad_request(field: &str, problem: impl std::fmt::Display) -> Self {
        Self::new(Code::BadRequest, format!("{field}: {problem}"))
    }

    /// `NOT_FOUND` of the named thing.
    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound, format!("no such {what}"))
    }

    /// `UNAVAILABLE`; the cause belongs in the log, not here.
    #[must_use]
    pub fn unavailable() -> Self {
        Self::new(Code::Unavailable, "try again in a moment; repeating the request is safe")
    }

    /// Adds the game's current ply.
    #[must_use]
    pub fn at_ply(mut self, ply: u32) -> Self {
        self.ply = Some(ply);
        self
    }

    /// Adds how long to wait.
    #[must_use]
    pub fn retry_after_ms(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }

    /// Adds the ticket in the way.
    #[must_use]
    pub fn ticket(mut self, id: impl ToString) -> Self {
        self.ticket_id = Some(id.to_string());
        self
    }

    /// Adds the game in the way.
    #[must_use]
    pub fn game(mut self, id: impl ToString) -> Self {
        self.game_id = Some(id.to_string());
        self
    }
}

impl From<Refusal> for tonic::Status {
    fn from(refusal: Refusal) -> Self {
        let mut facts = HashMap::new();
        let mut put = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                facts.insert(key.to_owned(), value);
            }
        };
        put("ply", refusal.ply.map(|ply| ply.to_string()));
        put("retry_after_ms", refusal.retry_after_ms.map(|ms| ms.to_string()));
        put("ticket_id", refusal.ticket_id);
        put("game_id", refusal.game_id);
        let details = ErrorDetails::with_error_info(refusal.code.as_str(), DOMAIN, facts);
        Self::with_error_details(refusal.code.grpc_code(), refusal.detail, details)
    }
}

impl From<&tonic::Status> for Refusal {
    /// A status that carries no reason of ours is a fault: `UNAVAILABLE` where trying again may help, otherwise
    /// `INTERNAL`; its message is not shown to anybody.
    fn from(status: &tonic::Status) -> Self {
        let info = status.get_details_error_info().filter(|info| info.domain == DOMAIN);
        let known = info.and_then(|info| Some((info.reason.parse::<Code>().ok()?, info.metadata)));
        if let Some((code, facts)) = known {
            return Self {
                code,
                detail: status.message().to_owned(),
                ply: facts.get("ply").and_then(|ply| ply.parse().ok()),
                retry_after_ms: facts.get("retry_after_ms").and_then(|ms| ms.parse().ok()),
                ticket_id: facts.get("ticket_id").cloned(),
                game_id: facts.get("game_id").cloned(),
            };
        }
        match status.code() {
            tonic::Code::Unavailable
            | tonic::Code::DeadlineExceeded
            | tonic::Code::Cancelled
            | tonic::Code::Aborted
            | tonic::Code::ResourceExhausted => Self::unavailable(),
            // The connection broke within the answer. A status that a service sent has no source.
            tonic::Code::Unknown if std::error::Error::source(status).is_some() => Self::unavailable(),
            _ => Self::new(Code::Internal, "something went wrong on our side"),
        }
    }
}

impl From<tonic::Status> for Refusal {
    fn from(status: tonic::Status) -> Self {
        Self::from(&status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_survives_the_wire_with_its_facts() {
        for code in Code::ALL {
            let sent = Refusal::new(*code, "why").at_ply(7).retry_after_ms(1500).ticket("t").game("g");
            assert_eq!(Refusal::from(tonic::Status::from(sent.clone())), sent);
        }
    }

    #[test]
    fn a_foreign_status_tells_nothing_internal() {
        let told = Refusal::from(tonic::Status::internal("password of the database"));
        assert_eq!(told.code, Code::Internal);
        assert!(!told.detail.contains("password"));
        assert_eq!(Refusal::from(tonic::Status::unavailable("10.0.0.1 refused")).code, Code::Unavailable);
        assert_eq!(Refusal::from(tonic::Status::unknown("a service said so")).code, Code::Internal);
        let broken = std::io::Error::other("error reading a body from connection");
        assert_eq!(Refusal::from(tonic::Status::from_error(Box::new(broken))).code, Code::Unavailable);
    }
}
