//! What bad input must leave alone.

use serde_json::{Value, json};
use stories::{Platform, Player, Table};

/// The id of nothing.
pub(crate) const NOBODYS_ID: &str = "0192f0c1-2345-7abc-8def-0123456789ab";

/// Four at a table; whatever is tried, their game is untouched.
pub(crate) struct Scene {
    pub(crate) platform: Platform,
    pub(crate) table: Table,
    before: Value,
}

impl Scene {
    pub(crate) async fn set() -> Scene {
        let platform = Platform::start().await;
        let table = Table::of_guests(&platform, "10+5").await;
        let before = table.play(&["d2-d3", "m4-l4"]).await;
        Scene { platform, table, before }
    }

    /// Who tries things.
    pub(crate) fn red(&self) -> &Player {
        self.table.player("red")
    }

    /// Nothing has happened.
    pub(crate) async fn end(self) {
        let after = self.table.state().await;
        for member in ["ply", "fen4", "status", "turn"] {
            assert_eq!(after[member], self.before[member], "{member}");
        }
        let record = self.table.record().await;
        // Time that a busy machine took is given back.
        let told: Vec<_> = record.types().into_iter().filter(|kind| *kind != "clock_adjusted").collect();
        assert_eq!(told, [&["created"][..], &["seated"; 4], &["started", "move", "move"]].concat());
        let me = self.red().get("/v1/me").await.ok();
        assert_eq!((&me["ticket"], me["games"].as_array().unwrap().len()), (&Value::Null, 1), "nothing was made");
        assert!(!self.platform.log().contains("panicked"), "{}", self.platform.log());
    }
}

/// A game among friends.
pub(crate) fn wishes(time_control: &Value) -> Value {
    let open = json!({"open": true});
    json!({"time_control": time_control, "seats": {"red": {"me": true}, "blue": open, "yellow": open, "green": open}})
}
