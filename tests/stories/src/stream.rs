use reqwest::Response;
use serde_json::Value;

use crate::within_reason;

/// An NDJSON stream.
pub struct Stream {
    response: Response,
    read: Vec<u8>,
}

impl Stream {
    /// From the head of an answer that must be a stream.
    pub async fn open(response: Response) -> Stream {
        let (status, url) = (response.status(), response.url().clone());
        if !status.is_success() {
            panic!("{url}: {status}: {}", response.text().await.unwrap_or_default());
        }
        let media = response.headers().get("content-type").map_or("", |value| value.to_str().unwrap());
        assert!(media.starts_with("application/x-ndjson"), "{url}: content type {media}");
        Stream { response, read: Vec::new() }
    }

    /// The next line, empty ones too; `None` at the end.
    pub async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return Some(String::from_utf8(line).unwrap().trim_end().to_owned());
            }
            match self.response.chunk().await {
                Ok(Some(bytes)) => self.read.extend_from_slice(&bytes),
                // A restart may cut it off; who reads on comes back with `after`.
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// The next object; `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        let object = async {
            loop {
                match self.line().await? {
                    line if line.is_empty() => {}
                    line => {
                        assert!(line.matches("\"points\":").count() < 2, "a member stands there twice: {line}");
                        return Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}")));
                    }
                }
            }
        };
        within_reason("the next line of a stream", object).await
    }

    /// The next event; passing news is skipped.
    pub async fn event(&mut self) -> Option<Value> {
        loop {
            let object = self.next().await?;
            if object.get("v").is_some() {
                return Some(object);
            }
        }
    }

    /// The events up to a version.
    pub async fn up_to(&mut self, version: u64) -> Vec<Value> {
        self.until(|event| event["v"].as_u64() >= Some(version)).await
    }

    /// The events up to the first of a type.
    pub async fn up_to_type(&mut self, kind: &str) -> Vec<Value> {
        self.until(|event| event["type"] == kind).await
    }

    /// The events up to the first that fits.
    pub async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            let event = self.event().await.unwrap_or_else(|| panic!("the stream ended after {events:?}"));
            events.push(event);
            if events.last().is_some_and(&fits) {
                return events;
            }
        }
    }

    /// The first object of a type, passing news and notices included.
    pub async fn notice(&mut self, kind: &str) -> Value {
        loop {
            let object = self.next().await.unwrap_or_else(|| panic!("the stream ended before {kind}"));
            if object["type"] == kind {
                return object;
            }
        }
    }

    /// All events until the stream ends.
    pub async fn to_end(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.event().await {
            events.push(event);
        }
        events
    }
}
