use std::time::Duration;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(2);

/// Pauses that double, so that a service coming back is not trampled.
#[derive(Debug)]
pub(crate) struct Backoff(Duration);

impl Default for Backoff {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl Backoff {
    /// A pause of half to all of the present step.
    pub(crate) async fn pause(&mut self) {
        let pause = self.0.mul_f64(0.5 + rand::random::<f64>() / 2.0);
        self.0 = (self.0 * 2).min(LONGEST);
        tokio::time::sleep(pause).await;
    }
}
