//! The public API as a careful client calls it: any gateway, and again until there is an answer.

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::dice::Dice;
use crate::journal::{Check, Journal};

/// Longer than any answer may take.
const ANSWER: Duration = Duration::from_secs(35);
/// A request that got no answer in all this time is a finding.
const PATIENCE: Duration = Duration::from_secs(90);
/// Of so many requests one is cut off under way.
const CUT_ONE_IN: u64 = 40;
const CUT: &str = "connection dropped by the client";

static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    let builder = Client::builder().no_proxy().connect_timeout(Duration::from_secs(5));
    builder.pool_idle_timeout(Duration::from_secs(10)).build().unwrap_or_default()
});

pub(crate) fn client() -> &'static Client {
    &CLIENT
}

#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// A request that may be sent again as it is.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    method: Method,
    path: String,
    token: Option<String>,
    body: Option<Value>,
    key: Option<String>,
}

impl Ask {
    fn new(method: Method, path: String, token: Option<&str>, body: Option<Value>) -> Ask {
        Ask { method, path, token: token.map(str::to_owned), body, key: None }
    }

    pub(crate) fn get(path: String, token: &str) -> Ask {
        Ask::new(Method::GET, path, Some(token), None)
    }

    pub(crate) fn post(path: String, token: Option<&str>, body: Value) -> Ask {
        Ask::new(Method::POST, path, token, Some(body))
    }

    pub(crate) fn delete(path: String, token: &str) -> Ask {
        Ask::new(Method::DELETE, path, Some(token), None)
    }

    /// With an `Idempotency-Key`.
    pub(crate) fn once(mut self, key: String) -> Ask {
        self.key = Some(key);
        self
    }

    fn request(&self, gateway: SocketAddr) -> RequestBuilder {
        let mut request = CLIENT.request(self.method.clone(), format!("http://{gateway}{}", self.path)).timeout(ANSWER);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = &self.body {
            request = request.json(body);
        }
        if let Some(key) = &self.key {
            request = request.header("idempotency-key", key);
        }
        request
    }
}

/// All gateways.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) gateways: Vec<SocketAddr>,
    pub(crate) journal: Arc<Journal>,
}

impl Door {
    /// The answer, from whichever gateway gives one first. None, and a finding, if there is none for too long.
    pub(crate) async fn ask(&self, dice: &mut Dice, ask: &Ask) -> Option<Answer> {
        let until = Instant::now() + PATIENCE;
        let cut = dice.one_in(CUT_ONE_IN).then(|| Duration::from_millis(dice.between(1, 60)));
        if let Some(after) = cut {
            self.journal.injected(CUT);
            let _ = timeout(after, self.attempt(*dice.pick(&self.gateways), ask)).await;
        }
        loop {
            let gateway = *dice.pick(&self.gateways);
            self.journal.seen().requests += 1;
            let last = match self.attempt(gateway, ask).await {
                Ok(answer) if matches!(answer.status, 429 | 503) => format!("{} {}", answer.status, answer.body),
                Ok(answer) => {
                    if answer.status >= 500 {
                        let what = format!("{} {}: {} {}", ask.method, ask.path, answer.status, answer.body);
                        self.journal.found(Check::Answers, what);
                    }
                    return Some(answer);
                }
                Err(error) => format!("{error:?}"),
            };
            self.journal.seen().repeated += 1;
            if Instant::now() > until {
                let asked = format!("{} {}", ask.method, ask.path);
                self.journal.found(Check::Answers, format!("{asked}: no answer for {PATIENCE:?}, at last {last}"));
                return None;
            }
            sleep(Duration::from_millis(dice.between(30, 300))).await;
        }
    }

    async fn attempt(&self, gateway: SocketAddr, ask: &Ask) -> reqwest::Result<Answer> {
        let response = ask.request(gateway).send().await?;
        let status = response.status().as_u16();
        let text = response.text().await?;
        Ok(Answer { status, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) })
    }
}
