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
pub struct Instant(pub UnixMs);

impl Instant {
    /// Milliseconds since 1970.
    #[must_use]
    pub const fn unix_ms(self) -> UnixMs {
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
