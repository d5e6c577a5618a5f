use proto::Refusal;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

const DEFAULT_LIMIT: u32 = 20;
const LARGEST_LIMIT: u32 = 100;
const LONGEST_CURSOR: usize = 512;

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// Send it as `cursor` to get the next page; null on the last one.
    pub(crate) next_cursor: Option<String>,
}

impl<T> Page<T> {
    pub(crate) fn new(items: Vec<T>, next_cursor: String) -> Self {
        Self { items, next_cursor: Some(next_cursor).filter(|cursor| !cursor.is_empty()) }
    }
}

/// Which page.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// How many items at most, 1 to 100.
    #[param(nullable = false, minimum = 1, maximum = 100, default = 20)]
    limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[param(nullable = false, max_length = 512)]
    cursor: Option<String>,
}

impl PageQuery {
    /// Limit and cursor as the services take them.
    pub(crate) fn checked(self) -> Result<(u32, String), Refusal> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=LARGEST_LIMIT).contains(&limit) {
            return Err(Refusal::bad_request("limit", "must be 1 to 100"));
        }
        let cursor = self.cursor.unwrap_or_default();
        if cursor.len() > LONGEST_CURSOR {
            return Err(Refusal::bad_request("cursor", "is not one of ours"));
        }
        Ok((limit, cursor))
    }
}
