//! Versions count events; ids tell branches of history apart, of which a failover may leave several in people's memories.

use crate::EventId;
use crate::types::v1::Event;

impl Event {
    /// Whether this is the next event of a log that ends with version `v` and event `id`: none, of an empty log.
    #[must_use]
    pub fn follows(&self, v: u64, id: Option<EventId>) -> bool {
        let same_branch = || self.previous_id == id.map(|id| id.to_string()).unwrap_or_default();
        self.v == v + 1 && (self.previous_id.is_empty() || same_branch())
    }
}

#[cfg(test)]
mod tests {
    use crate::EventId;
    use crate::types::v1::Event;

    #[test]
    fn only_the_next_event_of_the_same_branch_follows() {
        let (here, elsewhere) = (EventId::new(), EventId::new());
        let next = Event { v: 3, previous_id: here.to_string(), ..Event::default() };
        assert!(next.follows(2, Some(here)));
        assert!(!next.follows(2, Some(elsewhere)) && !next.follows(2, None));
        assert!(!next.follows(1, Some(here)) && !next.follows(3, Some(here)));
        let first = Event { v: 1, ..Event::default() };
        assert!(first.follows(0, None) && !first.follows(1, Some(here)));
    }
}
