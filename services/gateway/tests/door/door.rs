use std::time::{Duration, Instant};

use futures::future::join_all;
use gateway::{Config, Links, Pace};
use proto::game::v1::game_service_client::GameServiceClient;
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use reqwest::{Method, RequestBuilder, StatusCode};
use runtime::{Database, Drain, Postgres, Readiness, Sqlite, TemporarySqlite, bind, grpc, serve_http};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Message, http};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::fake::Fake;

/// A gateway on a free port, with stand-ins behind it.
pub(crate) struct Door {
    pub(crate) address: String,
    pub(crate) http: reqwest::Client,
    pub(crate) fake: Fake,
    pub(crate) drain: Drain,
    pub(crate) sqlite: TemporarySqlite,
    url: String,
}

/// Somebody with a token.
#[derive(Debug, Clone)]
pub(crate) struct Somebody {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) token: String,
}

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

/// Settings with which nothing is limited and nothing takes long.
pub(crate) fn config() -> Config {
    Config {
        time_controls: ["3+2", "1+7d"].map(|control| control.parse().unwrap()).to_vec(),
        limits: false,
        cors_origins: vec![HeaderValue::from_static("https://play.example")],
        trusted_proxies: Vec::new(),
        pace: Pace {
            blank_line: Duration::from_millis(300),
            stalled: Duration::from_millis(500),
            compare_head: Duration::from_millis(300),
            body: Duration::from_millis(500),
            ..Pace::default()
        },
    }
}

impl Door {
    pub(crate) async fn open() -> Self {
        Self::open_with(config()).await
    }

    pub(crate) async fn open_with(config: Config) -> Self {
        let sqlite = Sqlite::temporary().await.unwrap();
        let database = Database::Sqlite(sqlite.sqlite.clone());
        let fake = Fake::default();
        let url = fake.listen().await;
        Self::open_at(config, database, None, (fake, url), sqlite).await
    }

    /// On PostgreSQL and Redis.
    pub(crate) async fn open_on(config: Config, postgres: &str, redis: &str) -> Self {
        let fake = Fake::default();
        let url = fake.listen().await;
        Self::open_beside(config, postgres, redis, (fake, url)).await
    }

    /// One more gateway in front of the same services.
    pub(crate) async fn another(&self, config: Config, postgres: &str, redis: &str) -> Self {
        Self::open_beside(config, postgres, redis, (self.fake.clone(), self.url.clone())).await
    }

    async fn open_beside(config: Config, postgres: &str, redis: &str, behind: (Fake, String)) -> Self {
        let database = Database::Postgres(Postgres::connect(postgres, "gateway").await.unwrap());
        gateway::migrate(&database).await.unwrap();
        Self::open_at(config, database, Some(redis), behind, Sqlite::temporary().await.unwrap()).await
    }

    async fn open_at(
        config: Config,
        database: Database,
        redis: Option<&str>,
        (fake, url): (Fake, String),
        sqlite: TemporarySqlite,
    ) -> Self {
        let drain = Drain::new();
        let link = grpc::connect(&url).unwrap();
        let links = Links {
            game: GameServiceClient::new(link.clone()).max_decoding_message_size(64 << 20),
            matchmaking: MatchmakingServiceClient::new(link.clone()),
            rating: RatingServiceClient::new(link),
        };
        let router =
            gateway::build(config, database, redis, links, &Readiness::new(drain.clone()), &drain).await.unwrap();
        let listener = bind("test", "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        drain.spawn("http", serve_http(listener, router, drain.clone()));
        Self { address, http: reqwest::Client::new(), fake, drain, sqlite, url }
    }

    pub(crate) fn call(&self, method: &str, path: &str) -> RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        self.http.request(method, format!("http://{}{path}", self.address))
    }

    /// Asks until a limit says no; many at once, as while a busy machine answers one, another is allowed again.
    pub(crate) async fn is_limited(&self, path: &str, who: Option<&Somebody>) {
        let give_up = Instant::now() + Duration::from_secs(60);
        loop {
            let answers = join_all((0..300).map(|_| self.get(path, who))).await;
            if answers.iter().any(|answer| answer.status == 429) {
                return;
            }
            assert!(Instant::now() < give_up, "{path} is not limited");
        }
    }

    pub(crate) async fn get(&self, path: &str, who: Option<&Somebody>) -> Answer {
        Answer::of(with(self.call("GET", path), who)).await
    }

    pub(crate) async fn delete(&self, path: &str, who: Option<&Somebody>) -> Answer {
        Answer::of(with(self.call("DELETE", path), who)).await
    }

    pub(crate) async fn post(&self, path: &str, who: Option<&Somebody>, body: Value) -> Answer {
        Answer::of(with(self.call("POST", path).json(&body), who)).await
    }

    pub(crate) async fn post_keyed(&self, path: &str, who: Option<&Somebody>, key: &str, body: Value) -> Answer {
        Answer::of(with(self.call("POST", path).json(&body).header("idempotency-key", key), who)).await
    }

    pub(crate) async fn guest(&self, name: &str) -> Somebody {
        self.post("/v1/guests", None, json!({"name": name})).await.signed()
    }

    pub(crate) async fn account(&self, name: &str) -> Somebody {
        self.post("/v1/accounts", None, json!({"name": name, "password": "correct horse"})).await.signed()
    }

    /// Opens a socket with the token as a browser passes it.
    pub(crate) async fn socket(&self, path: &str, who: Option<&Somebody>) -> Result<Socket, StatusCode> {
        let mut request = format!("ws://{}{path}", self.address).into_client_request().unwrap();
        let protocols = match who {
            Some(who) => format!("four-kingdoms.v1, bearer.{}", who.token),
            None => "four-kingdoms.v1".to_owned(),
        };
        request.headers_mut().insert("sec-websocket-protocol", protocols.parse().unwrap());
        match tokio_tungstenite::connect_async(request).await {
            Ok((socket, answer)) => {
                assert_eq!(answer.headers()["sec-websocket-protocol"], "four-kingdoms.v1");
                Ok(socket)
            }
            Err(tokio_tungstenite::tungstenite::Error::Http(answer)) => Err(http_status(answer.status())),
            Err(error) => panic!("{error}"),
        }
    }
}

fn http_status(status: http::StatusCode) -> StatusCode {
    StatusCode::from_u16(status.as_u16()).unwrap()
}

pub(crate) fn with(request: RequestBuilder, who: Option<&Somebody>) -> RequestBuilder {
    match who {
        Some(who) => request.bearer_auth(&who.token),
        None => request,
    }
}

/// Status, headers and JSON of an answer; null if it has no body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) async fn of(request: RequestBuilder) -> Self {
        let answer = request.send().await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        let body =
            if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap_or(Value::String(text)) };
        Self { status, headers, body }
    }

    /// What a successful answer holds.
    #[track_caller]
    pub(crate) fn ok(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{:?}", self.body);
        self.body
    }

    /// Checks that it is a whole problem document with this status and code; its detail.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) -> String {
        assert_eq!((self.status, self.body["code"].as_str()), (status, Some(code)), "{:?}", self.body);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        assert_eq!(self.body["status"], status);
        assert_eq!(self.body["request_id"], self.headers["x-request-id"].to_str().unwrap());
        assert!(self.body["type"].is_string() && self.body["title"].is_string());
        self.body["detail"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn signed(self) -> Somebody {
        let body = self.ok(201);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Somebody { id: text(&body["player"]["id"]), name: text(&body["player"]["name"]), token: text(&body["token"]) }
    }
}

/// The next frame of a socket: its JSON, or its close code and reason.
pub(crate) async fn next(socket: &mut Socket) -> Result<Value, (u16, String)> {
    use futures::StreamExt as _;
    loop {
        let frame = tokio::time::timeout(Duration::from_secs(10), socket.next()).await.expect("a frame in time");
        match frame {
            Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
            Some(Ok(Message::Close(Some(close)))) => return Err((close.code.into(), close.reason.to_string())),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(other)) => panic!("{other:?}"),
            Some(Err(_)) | None => return Err((1006, String::new())),
        }
    }
}

pub(crate) async fn say(socket: &mut Socket, frame: &Value) {
    use futures::SinkExt as _;
    socket.send(Message::text(frame.to_string())).await.unwrap();
}
