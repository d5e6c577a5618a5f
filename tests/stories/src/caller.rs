use std::net::SocketAddr;

use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;

use crate::{Answer, Socket, Stream, eventually, is_in_a_file};

/// Calls the public API, with a token or without.
#[derive(Clone)]
pub struct Caller {
    agent: Client,
    /// The public address of the platform.
    pub http: SocketAddr,
    /// Sent as a bearer token.
    pub token: Option<String>,
}

impl Caller {
    pub(crate) fn new(agent: Client, http: SocketAddr, token: Option<String>) -> Caller {
        Caller { agent, http, token }
    }

    /// The same with another token.
    pub fn with_token(&self, token: &str) -> Caller {
        Caller::new(self.agent.clone(), self.http, Some(token.to_owned()))
    }

    /// A request to be dressed further.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.agent.request(method, format!("http://{}{path}", self.http));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends a request; an error is that there was no answer.
    pub async fn try_send(&self, request: RequestBuilder) -> Result<Answer, reqwest::Error> {
        let request = request.build()?;
        let asked = format!("{} {}", request.method(), request.url().path());
        let response = self.agent.execute(request).await?;
        Ok(Answer::read(asked, response).await)
    }

    /// Sends a request that will be answered. Where the platform has others to wait for, which a busy machine may keep too
    /// long, it is sent again while the answer is UNAVAILABLE, as clients do.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let again = request.try_clone().filter(|_| !is_in_a_file());
        let answer = self.try_send(request).await.unwrap_or_else(|error| panic!("no answer: {error:?}"));
        match again {
            Some(again) if answer.status == 503 => {
                eventually("another answer than 503", async || {
                    let answer = self.try_send(again.try_clone()?).await.ok()?;
                    (answer.status != 503).then_some(answer)
                })
                .await
            }
            _ => answer,
        }
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    /// POST of a JSON body.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// Opens an NDJSON stream.
    pub async fn stream(&self, path: &str) -> Stream {
        let request = self.request(Method::GET, path).timeout(std::time::Duration::from_secs(300));
        Stream::open(request.send().await.unwrap()).await
    }

    /// The state of a game.
    pub async fn state(&self, game: &str) -> Value {
        self.get(&format!("/v1/games/{game}")).await.ok()
    }

    /// Everything in a game's stream until it ends or, of a game under way, up to the version of now.
    pub async fn events(&self, game: &str) -> Vec<Value> {
        let head = self.state(game).await["v"].as_u64().unwrap();
        self.stream(&format!("/v1/games/{game}/events")).await.up_to(head).await
    }

    /// Opens a game's stream of events after a version.
    pub async fn follow(&self, game: &str, after: u64) -> Stream {
        self.stream(&format!("/v1/games/{game}/events?after={after}")).await
    }

    /// Opens a game's socket.
    pub async fn socket(&self, game: &str, after: u64) -> Socket {
        let path = format!("/v1/games/{game}/socket?after={after}");
        Socket::open(self.http, &path, self.token.as_deref()).await.unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}
