use std::str::FromStr;

use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;
use sqlx::types::Uuid;
use timekeeping::UnixMs;

use crate::store::StoreError;
use crate::store::row::Columns;

/// Ids are kept in their printed form, times as Unix milliseconds in columns that say so.
impl Columns for SqliteRow {
    fn id<T: From<Uuid> + FromStr>(&self, column: &'static str) -> Result<Option<T>, StoreError> {
        self.text(column)?.map(|id| id.parse().map_err(|_| StoreError::Corrupt(column))).transpose()
    }

    fn time(&self, stem: &'static str) -> Result<Option<UnixMs>, StoreError> {
        Ok(self.try_get(format!("{stem}_unix_ms").as_str())?)
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, StoreError> {
        Ok(self.try_get(column)?)
    }

    fn whole(&self, column: &'static str) -> Result<Option<i64>, StoreError> {
        Ok(self.try_get(column)?)
    }

    fn real(&self, column: &'static str) -> Result<Option<f64>, StoreError> {
        Ok(self.try_get(column)?)
    }

    fn flag(&self, column: &'static str) -> Result<Option<bool>, StoreError> {
        Ok(self.try_get(column)?)
    }
}
