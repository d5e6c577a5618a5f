use std::str::FromStr;

use sqlx::postgres::PgRow;
use sqlx::types::Uuid;
use sqlx::{Column as _, Row as _, TypeInfo as _};
use timekeeping::UnixMs;

use crate::store::StoreError;
use crate::store::row::Columns;
use runtime::Instant;

impl Columns for PgRow {
    fn id<T: From<Uuid> + FromStr>(&self, column: &'static str) -> Result<Option<T>, StoreError> {
        Ok(self.try_get::<Option<Uuid>, _>(column)?.map(T::from))
    }

    fn time(&self, stem: &'static str) -> Result<Option<UnixMs>, StoreError> {
        Ok(self.try_get::<Option<Instant>, _>(format!("{stem}_at").as_str())?.map(Instant::unix_ms))
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, StoreError> {
        Ok(self.try_get(column)?)
    }

    fn whole(&self, column: &'static str) -> Result<Option<i64>, StoreError> {
        Ok(match self.try_column(column)?.type_info().name() {
            "INT4" => self.try_get::<Option<i32>, _>(column)?.map(i64::from),
            _ => self.try_get(column)?,
        })
    }

    fn real(&self, column: &'static str) -> Result<Option<f64>, StoreError> {
        Ok(self.try_get(column)?)
    }

    fn flag(&self, column: &'static str) -> Result<Option<bool>, StoreError> {
        Ok(self.try_get(column)?)
    }
}
