use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    /// What was asked, for messages.
    pub asked: String,
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub text: String,
}

impl Answer {
    pub(crate) async fn read(asked: String, response: reqwest::Response) -> Answer {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap_or_else(|error| panic!("{asked}: the answer broke off: {error}"));
        Answer { asked, status, headers, text }
    }

    /// A header, empty if it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{}: no JSON: {}", self.asked, self.text))
    }

    /// The JSON body of an answer with this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.asked, self.text);
        if self.text.is_empty() { Value::Null } else { self.json() }
    }

    /// The JSON body of a 200.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.expect(200)
    }

    /// The `code` of a refusal; empty for anything else.
    pub fn code(&self) -> String {
        if self.status < 400 { String::new() } else { self.json()["code"].as_str().unwrap_or_default().to_owned() }
    }

    /// The problem of a refusal with this status and code, whole and well-formed (RFC 9457).
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        assert_eq!((self.status, self.code().as_str()), (status, code), "{}: {}", self.asked, self.text);
        let problem = self.json();
        let media = self.header(CONTENT_TYPE.as_str());
        assert!(media.starts_with("application/problem+json"), "{}: content type {media}", self.asked);
        assert_eq!(problem["status"], status, "{}", self.asked);
        for member in ["type", "title", "detail", "request_id"] {
            let words = problem[member].as_str().unwrap_or_default();
            assert!(!words.is_empty(), "{}: no {member} in {problem}", self.asked);
        }
        assert_eq!(self.header("x-request-id"), problem["request_id"], "{}", self.asked);
        problem
    }
}
