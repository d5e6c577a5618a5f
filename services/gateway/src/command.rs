//! What a client may ask for over a socket, and the reply to it.

use std::sync::Arc;

use proto::game::v1 as game;
use proto::{Code, GameId, Refusal};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::extract::{Object, in_terms_of_json};
use crate::feed::Head;
use crate::identity::Identity;
use crate::links::Links;
use crate::play::check_move;
use crate::problem::Problem;
use crate::view::moment;

/// A frame of a client.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Asked {
    Move {
        #[serde(default)]
        id: Value,
        ply: u32,
        r#move: String,
    },
    Resign {
        #[serde(default)]
        id: Value,
    },
    Ping {
        #[serde(default)]
        id: Value,
    },
}

/// A frame that asks for nothing we know.
#[derive(Debug)]
pub(crate) struct Malformed {
    id: Value,
    why: String,
}

/// What the client is told, once it has been told all events up to `after`.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) after: u64,
    pub(crate) told: Told,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Told {
    Ack {
        id: Value,
        ply: u32,
    },
    Refused {
        id: Value,
        code: &'static str,
        detail: String,
        ply: Option<u32>,
    },
    Pong {
        #[serde(skip_serializing_if = "Value::is_null")]
        id: Value,
        v: u64,
        ply: u32,
        server_now: String,
    },
}

impl Reply {
    pub(crate) fn pong(id: Value, head: Head) -> Self {
        let server_now = moment(runtime::wall_clock_ms());
        Self { after: head.v, told: Told::Pong { id, v: head.v, ply: head.ply, server_now } }
    }

    /// A refusal that knows no ply of its own shows the present one.
    pub(crate) fn told_at(mut self, present: u32) -> Told {
        if let Told::Refused { ply, .. } = &mut self.told {
            ply.get_or_insert(present);
        }
        self.told
    }

    /// What the client was told is no longer so (docs/decisions/live-state-in-redis.md): it must start from 0.
    pub(crate) fn resync() -> Self {
        let detail = "what was told is not in the game's log any more; start again without after".to_owned();
        let code = Code::Resync.as_str();
        Self { after: 0, told: Told::Refused { id: Value::Null, code, detail, ply: None } }
    }

    pub(crate) fn malformed(Malformed { id, why }: Malformed) -> Self {
        let code = Code::BadRequest.as_str();
        Self { after: 0, told: Told::Refused { id, code, detail: why, ply: None } }
    }
}

/// Understands a frame.
pub(crate) fn read(text: &str) -> Result<Asked, Malformed> {
    serde_json::from_str(text).map(|Object(asked)| asked).map_err(|error| {
        let frame: Value = serde_json::from_str(text).unwrap_or_default();
        Malformed { id: frame.get("id").cloned().unwrap_or_default(), why: in_terms_of_json(&error) }
    })
}

/// Does what was asked; the reply knows which events must go out before it.
pub(crate) async fn carry_out(links: Links, id: GameId, caller: Option<Arc<Identity>>, asked: Asked) -> Reply {
    let (frame, player) = match (&asked, caller_may_play(caller.as_deref())) {
        (Asked::Move { id, .. } | Asked::Resign { id } | Asked::Ping { id }, player) => (id.clone(), player),
    };
    let done = async {
        let player_id = player?;
        let game_id = id.to_string();
        match asked {
            Asked::Move { ply, r#move, .. } => {
                check_move(&r#move)?;
                let request = game::MakeMoveRequest { game_id, player_id, ply, r#move };
                Ok(links.make_move(request).await?.game)
            }
            Asked::Resign { .. } => {
                let request = game::ResignRequest { game_id, player_id };
                Ok(links.resign(request).await?.game)
            }
            Asked::Ping { .. } => Ok(None),
        }
    };
    let done: Result<Option<game::Game>, Problem> = done.await;
    match done {
        Ok(game) => {
            let game = game.unwrap_or_default();
            Reply { after: game.v, told: Told::Ack { id: frame, ply: game.ply } }
        }
        Err(Problem(refusal)) => refused(&links, id, caller.as_deref(), frame, refusal).await,
    }
}

fn caller_may_play(caller: Option<&Identity>) -> Result<String, Problem> {
    match caller {
        None => Err(Refusal::new(Code::Unauthenticated, "a visitor cannot play").into()),
        Some(caller) if !caller.scopes().play => {
            Err(Refusal::new(Code::Forbidden, "the token lacks the scope play").into())
        }
        Some(caller) => Ok(caller.id().to_string()),
    }
}

/// A refused command can have caused events too: a move that came too late makes the time loss known.
async fn refused(links: &Links, id: GameId, caller: Option<&Identity>, frame: Value, refusal: Refusal) -> Reply {
    let mut after = 0;
    let mut ply = refusal.ply;
    if refusal.code.http_status() == 409 {
        let viewer = caller.map(|caller| caller.id().to_string()).unwrap_or_default();
        if let Ok(game) = links.game_seen_by(viewer, id.to_string()).await {
            after = game.v;
            ply = ply.or(Some(game.ply));
        }
    }
    let code = refusal.code.as_str();
    Reply { after, told: Told::Refused { id: frame, code, detail: refusal.detail, ply } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn frames_are_understood_or_refused_with_their_id() {
        assert!(matches!(read(r#"{"type":"move","ply":3,"move":"h2-h4","id":"a"}"#), Ok(Asked::Move { ply: 3, .. })));
        assert!(matches!(read(r#"{"type":"resign"}"#), Ok(Asked::Resign { id: Value::Null })));
        assert!(matches!(read(r#"{"type":"ping","more":1}"#), Ok(Asked::Ping { .. })));
        for (frame, id) in [
            ("", Value::Null),
            ("[]", Value::Null),
            (r#"["resign", "a"]"#, Value::Null),
            (r#"{"type":"dance","id":7}"#, json!(7)),
            (r#"{"type":"move","ply":-1,"move":"h2-h4","id":{"n":1}}"#, json!({"n": 1})),
            (r#"{"type":"move","move":"h2-h4","id":"a"}"#, json!("a")),
            (r#"{"id":"a"}"#, json!("a")),
            (r#"{"type":"ping","type":"resign","id":"a"}"#, json!("a")),
            (r#"{"type":"move","ply":0,"ply":1,"move":"h2-h4","id":"a"}"#, json!("a")),
            (r#"{"type":"resign","id":"a"}x"#, Value::Null),
        ] {
            assert_eq!(read(frame).unwrap_err().id, id, "{frame}");
        }
    }
}
