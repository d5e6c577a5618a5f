use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueFormat, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};
use timekeeping::UnixMs;

/// 2000-01-01, from which PostgreSQL counts microseconds.
const EPOCH_MS: UnixMs = 946_684_800_000;
const TIMESTAMPTZ: Oid = Oid(1184);
const TIMESTAMPTZ_ARRAY: Oid = Oid(1185);

/// A `timestamptz` of whole milliseconds. What is beyond all times is `infinity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instant(pub(super) UnixMs);

impl Instant {
    pub(super) const fn unix_ms(self) -> UnixMs {
        self.0
    }
}

impl Type<Postgres> for Instant {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(TIMESTAMPTZ)
    }
}

impl PgHasArrayType for Instant {
    fn array_type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(TIMESTAMPTZ_ARRAY)
    }
}

impl Encode<'_, Postgres> for Instant {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let microseconds = self.0.saturating_sub(EPOCH_MS).saturating_mul(1000);
        Encode::<Postgres>::encode(microseconds, buffer)
    }
}

impl<'r> Decode<'r, Postgres> for Instant {
    fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
        if value.format() != PgValueFormat::Binary {
            return Err("times are read in binary form only".into());
        }
        let microseconds = <i64 as Decode<Postgres>>::decode(value)?;
        Ok(Self(microseconds.div_euclid(1000) + EPOCH_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_server_agrees_on_the_time() {
        let pool = sqlx::PgPool::connect(&servers::postgres().await).await.unwrap();
        for (ms, text) in [
            (0, "1970-01-01 00:00:00+00"),
            (1_700_000_000_123, "2023-11-14 22:13:20.123+00"),
            (-1, "1969-12-31 23:59:59.999+00"),
            (UnixMs::MAX, "infinity"),
        ] {
            let told: String = sqlx::query_scalar("SELECT ($1 AT TIME ZONE 'UTC')::timestamp::text")
                .bind(Instant(ms))
                .fetch_one(&pool)
                .await
                .unwrap();
            assert_eq!(told, text.trim_end_matches("+00"));
        }
        let back: Vec<Instant> = sqlx::query_scalar("SELECT unnest($1::timestamptz[])")
            .bind([1_700_000_000_123, -1].map(Instant))
            .fetch_all(&pool)
            .await
            .unwrap();
        assert_eq!(back, [1_700_000_000_123, -1].map(Instant));
    }
}
