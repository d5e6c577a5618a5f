use std::fmt;
use std::str::FromStr;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $status:literal, $grpc:ident, $title:literal;)*) => {
        /// The closed set of reasons for which the platform refuses something; the `code` of the public API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// The stable word clients branch on.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $word,)* }
            }

            /// The HTTP status it is answered with.
            #[must_use]
            pub const fn http_status(self) -> u16 {
                match self { $(Code::$name => $status,)* }
            }

            /// The gRPC status it travels as between services.
            #[must_use]
            pub const fn grpc_code(self) -> tonic::Code {
                match self { $(Code::$name => tonic::Code::$grpc,)* }
            }

            /// A short human-readable summary, the same for every occurrence.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }
        }
    };
}

codes! {
    /// Shape, type or range is wrong; the detail names the field.
    BadRequest = "BAD_REQUEST", 400, InvalidArgument, "The request is malformed";
    /// A FEN4 that is no playable position.
    BadPosition = "BAD_POSITION", 400, InvalidArgument, "The position is not playable";
    /// No token, or a dead one.
    Unauthenticated = "UNAUTHENTICATED", 401, Unauthenticated, "A valid token is needed";
    /// The caller is known but may not do this.
    Forbidden = "FORBIDDEN", 403, PermissionDenied, "Not allowed";
    /// No such thing, or none that the caller may see.
    NotFound = "NOT_FOUND", 404, NotFound, "Not found";
    /// The path exists but not with this method.
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405, Unimplemented, "Method not allowed";
    /// The request took too long to arrive.
    RequestTimeout = "REQUEST_TIMEOUT", 408, DeadlineExceeded, "The request took too long";
    /// Another army is to move.
    NotYourTurn = "NOT_YOUR_TURN", 409, FailedPrecondition, "It is not your turn";
    /// The game has moved on since the ply of the request.
    StalePly = "STALE_PLY", 409, FailedPrecondition, "The game is at another ply";
    /// The caller's army is roaming or out.
    NotPlaying = "NOT_PLAYING", 409, FailedPrecondition, "Your army is no longer playing";
    /// The game is over or aborted.
    GameOver = "GAME_OVER", 409, FailedPrecondition, "The game is over";
    /// The game is still waiting for players, or not over yet.
    NotStarted = "NOT_STARTED", 409, FailedPrecondition, "The game has not got that far";
    /// Somebody else has the seat.
    SeatTaken = "SEAT_TAKEN", 409, AlreadyExists, "The seat is taken";
    /// Somebody else has the name.
    NameTaken = "NAME_TAKEN", 409, AlreadyExists, "The name is taken";
    /// The player has an open ticket already.
    AlreadyWaiting = "ALREADY_WAITING", 409, AlreadyExists, "You have an open ticket";
    /// The ticket has led to a game.
    AlreadyMatched = "ALREADY_MATCHED", 409, FailedPrecondition, "The ticket is matched";
    /// The player has as many games as allowed.
    TooManyGames = "TOO_MANY_GAMES", 409, FailedPrecondition, "Too many running games";
    /// The client is ahead of the game's log.
    Resync = "RESYNC", 409, OutOfRange, "Start again from the game's head";
    /// The same idempotency key came with another body.
    IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED", 409, AlreadyExists, "The idempotency key is in use";
    /// The body or frame is larger than allowed.
    TooLarge = "TOO_LARGE", 413, InvalidArgument, "Too large";
    /// The body is not JSON by its content type.
    UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE", 415, InvalidArgument, "Unsupported media type";
    /// A well-formed move that the rules do not allow.
    IllegalMove = "ILLEGAL_MOVE", 422, FailedPrecondition, "The move is not legal";
    /// Described in the contract but not built yet.
    NotAvailable = "NOT_AVAILABLE", 422, Unimplemented, "Not available yet";
    /// Too many requests.
    RateLimited = "RATE_LIMITED", 429, ResourceExhausted, "Too many requests";
    /// The player let a game abort and has to wait.
    Cooldown = "COOLDOWN", 429, ResourceExhausted, "Wait before the next ticket";
    /// The header section is larger than allowed.
    HeadersTooLarge = "HEADERS_TOO_LARGE", 431, InvalidArgument, "The headers are too large";
    /// A fault of ours; nothing of it is told.
    Internal = "INTERNAL", 500, Internal, "Internal error";
    /// A part of the platform cannot answer now; trying again is safe.
    Unavailable = "UNAVAILABLE", 503, Unavailable, "Temporarily unavailable";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word names none of our codes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown error code")]
pub struct UnknownCode;

impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(word: &str) -> Result<Self, UnknownCode> {
        Self::ALL.iter().copied().find(|code| code.as_str() == word).ok_or(UnknownCode)
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn words_are_unique_and_parse_back() {
        for code in Code::ALL {
            assert_eq!(code.as_str().parse(), Ok(*code));
            assert!((400..600).contains(&code.http_status()));
        }
    }
}
