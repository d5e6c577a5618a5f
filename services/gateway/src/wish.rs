//! How the maker of a game wants the seats filled.

use std::borrow::Cow;

use proto::Refusal;
use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{RefOr, schema::SchemaType};
use utoipa::{PartialSchema, ToSchema};

use crate::view::seat::Seat;

/// Who is to sit on a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeatWish {
    /// Whoever comes with the invite code.
    Open,
    /// The maker.
    Me,
    /// A computer player.
    Computer(Level),
}

/// How well a computer player plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Easy,
    Medium,
    Hard,
}

/// One wish a seat, as sent. Null: the army has no seat in the start position.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct SeatWishes {
    #[schema(required = true)]
    #[serde(default)]
    red: Sent,
    #[schema(required = true)]
    #[serde(default)]
    blue: Sent,
    #[schema(required = true)]
    #[serde(default)]
    yellow: Sent,
    #[schema(required = true)]
    #[serde(default)]
    green: Sent,
}

/// Tells a missing member from a null.
#[derive(Debug, Default)]
struct Sent(Option<Value>);

impl<'de> Deserialize<'de> for Sent {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|value| Self(Some(value)))
    }
}

impl SeatWishes {
    /// The four wishes in turn order. `nulls`: some armies may have no seat.
    pub(crate) fn checked(self, nulls: bool) -> Result<[(Seat, Option<SeatWish>); 4], Refusal> {
        let Self { red, blue, yellow, green } = self;
        let wishes = [
            (Seat::Red, wish(Seat::Red, red, nulls)?),
            (Seat::Blue, wish(Seat::Blue, blue, nulls)?),
            (Seat::Yellow, wish(Seat::Yellow, yellow, nulls)?),
            (Seat::Green, wish(Seat::Green, green, nulls)?),
        ];
        if wishes.iter().filter(|(_, wish)| *wish == Some(SeatWish::Me)).count() > 1 {
            return Err(Refusal::bad_request("seats", "you can sit on one seat only"));
        }
        Ok(wishes)
    }
}

fn wish(seat: Seat, Sent(sent): Sent, nulls: bool) -> Result<Option<SeatWish>, Refusal> {
    let field = format!("seats.{}", seat.word());
    let refused = |problem: &str| Err(Refusal::bad_request(&field, problem));
    let object = match sent {
        None => return refused("is missing"),
        Some(Value::Null) if nulls => return Ok(None),
        Some(Value::Null) => return refused("must not be null without start_fen4"),
        Some(Value::Object(object)) => object,
        Some(_) => return refused("must be an object"),
    };
    let of = |key: &str| object.get(key);
    match (of("open"), of("me"), of("computer")) {
        (Some(Value::Bool(true)), None, None) => Ok(Some(SeatWish::Open)),
        (None, Some(Value::Bool(true)), None) => Ok(Some(SeatWish::Me)),
        (None, None, Some(Value::String(level))) => match level.as_str() {
            "easy" => Ok(Some(SeatWish::Computer(Level::Easy))),
            "medium" => Ok(Some(SeatWish::Computer(Level::Medium))),
            "hard" => Ok(Some(SeatWish::Computer(Level::Hard))),
            _ => refused("computer must be easy, medium or hard"),
        },
        _ => refused(r#"must be {"open":true}, {"me":true} or {"computer":"easy|medium|hard"}"#),
    }
}

impl ToSchema for Sent {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("SeatWish")
    }
}

impl PartialSchema for Sent {
    fn schema() -> RefOr<Schema> {
        let only = |name: &str, values: Vec<Value>, kind: Type| {
            ObjectBuilder::new()
                .property(name, ObjectBuilder::new().schema_type(kind).enum_values(Some(values)))
                .required(name)
                .additional_properties(Some(AdditionalProperties::FreeForm(true)))
        };
        OneOfBuilder::new()
            .item(only("open", vec![true.into()], Type::Boolean))
            .item(only("me", vec![true.into()], Type::Boolean))
            .item(only("computer", vec!["easy".into(), "medium".into(), "hard".into()], Type::String))
            .item(ObjectBuilder::new().schema_type(SchemaType::Type(Type::Null)))
            .description(Some("Who is to sit on a seat; null where the start position has no playing army"))
            .into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(seats: Value, nulls: bool) -> Result<[(Seat, Option<SeatWish>); 4], String> {
        let wishes: SeatWishes = serde_json::from_value(seats).map_err(|error| error.to_string())?;
        wishes.checked(nulls).map_err(|refusal| refusal.detail)
    }

    #[test]
    fn every_seat_is_asked_for() {
        let open = json!({"open": true});
        let good = json!({"red": {"me": true}, "blue": open, "yellow": {"computer": "hard"}, "green": open});
        assert_eq!(checked(good, false).unwrap()[2].1, Some(SeatWish::Computer(Level::Hard)));
        let nobody = json!({"red": open, "blue": open, "yellow": open, "green": null});
        assert_eq!(checked(nobody.clone(), true).unwrap()[3].1, None);
        for (bad, named) in [
            (nobody, "seats.green"),
            (json!({"red": open, "blue": open, "yellow": open}), "seats.green"),
            (json!({"red": {"me": true}, "blue": {"me": true}, "yellow": open, "green": open}), "seats"),
            (json!({"red": {"open": false}, "blue": open, "yellow": open, "green": open}), "seats.red"),
            (json!({"red": {"open": true, "me": true}, "blue": open, "yellow": open, "green": open}), "seats.red"),
            (json!({"red": {"computer": "genius"}, "blue": open, "yellow": open, "green": open}), "seats.red"),
            (json!({"red": open, "blue": 7, "yellow": open, "green": open}), "seats.blue"),
        ] {
            let told = checked(bad, false).unwrap_err();
            assert!(told.starts_with(named), "{told}");
        }
    }
}
