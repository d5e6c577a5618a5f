use std::ops::Deref;

use serde_json::{Value, json};

use crate::{Answer, Caller};

/// Of every account in the stories.
pub(crate) const PASSWORD: &str = "correct horse battery staple";

/// Somebody signed up.
#[derive(Clone)]
pub struct Player {
    /// Never changes.
    pub id: String,
    /// As shown.
    pub name: String,
    caller: Caller,
}

impl Deref for Player {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl Player {
    /// Of every account in the stories.
    pub const PASSWORD: &str = PASSWORD;

    pub(crate) async fn guest(visitor: &Caller, name: &str) -> Player {
        let signed = visitor.post("/v1/guests", &json!({"name": name})).await.expect(201);
        Player::signed(visitor, &signed)
    }

    pub(crate) async fn account(visitor: &Caller, name: &str) -> Player {
        let signed = visitor.post("/v1/accounts", &json!({"name": name, "password": PASSWORD})).await.expect(201);
        Player::signed(visitor, &signed)
    }

    /// From the answer to signing up or in.
    pub fn signed(visitor: &Caller, signed: &Value) -> Player {
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("not as promised: {signed}")).to_owned();
        let token = text(&signed["token"]);
        Player {
            id: text(&signed["player"]["id"]),
            name: text(&signed["player"]["name"]),
            caller: visitor.with_token(&token),
        }
    }

    /// The secret.
    pub fn token(&self) -> &str {
        self.caller.token.as_deref().unwrap()
    }

    /// Tries a move.
    pub async fn play(&self, game: &str, ply: u64, text: &str) -> Answer {
        self.post(&format!("/v1/games/{game}/moves"), &json!({"ply": ply, "move": text})).await
    }

    /// Resigns.
    pub async fn resign(&self, game: &str) -> Answer {
        self.post(&format!("/v1/games/{game}/resignation"), &json!({})).await
    }

    /// Opens a ticket.
    pub async fn ticket(&self, time_control: &str, rated: bool) -> Answer {
        self.post("/v1/tickets", &json!({"time_control": time_control, "rated": rated})).await
    }

    /// Asks after a ticket until it is no longer waiting.
    pub async fn settled(&self, ticket: &str) -> Value {
        let path = format!("/v1/tickets/{ticket}?wait_s=5");
        crate::eventually("the ticket is settled", async || {
            let ticket = self.get(&path).await.ok();
            (ticket["status"] != "waiting").then_some(ticket)
        })
        .await
    }

    /// Takes a seat, any if none is named.
    pub async fn sit(&self, game: &str, invite_code: &str, seat: Option<&str>) -> Answer {
        let mut body = json!({"invite_code": invite_code});
        if let Some(seat) = seat {
            body["seat"] = seat.into();
        }
        self.post(&format!("/v1/games/{game}/seats"), &body).await
    }
}
