use proto::rating::v1 as rating;
use proto::types::v1 as wire;
use serde::Serialize;
use utoipa::ToSchema;

use super::{moment, one_decimal};
use crate::store;
use crate::view::seat::Class;

/// Somebody who can play.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Player {
    /// Never changes.
    #[schema(format = Uuid)]
    pub(crate) id: String,
    #[schema(example = "QuietKnight482")]
    pub(crate) name: String,
    /// Has no account.
    pub(crate) guest: bool,
}

impl From<&store::Player> for Player {
    fn from(player: &store::Player) -> Self {
        Self { id: player.id.to_string(), name: player.name.clone(), guest: player.guest }
    }
}

/// A player's page.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Profile {
    #[serde(flatten)]
    pub(crate) player: Player,
    /// When the player first came.
    #[schema(format = DateTime)]
    pub(crate) joined_at: String,
}

impl From<&store::Player> for Profile {
    fn from(player: &store::Player) -> Self {
        Self { player: player.into(), joined_at: moment(player.created) }
    }
}

/// A player as they sat down.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct SeatedPlayer {
    #[schema(format = Uuid)]
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) guest: bool,
    /// In the class of the game, one decimal.
    pub(crate) rating: f64,
    /// Fewer than 30 rated games in that class.
    pub(crate) provisional: bool,
}

impl From<&wire::Player> for SeatedPlayer {
    fn from(player: &wire::Player) -> Self {
        Self {
            id: player.id.clone(),
            name: player.name.clone(),
            guest: player.guest,
            rating: one_decimal(player.rating),
            provisional: player.provisional,
        }
    }
}

/// A rating in one class.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Rating {
    /// One decimal.
    pub(crate) rating: f64,
    /// Rated games so far.
    pub(crate) games: u32,
    /// Fewer than 30 of them.
    pub(crate) provisional: bool,
}

impl From<&rating::Rating> for Rating {
    fn from(rating: &rating::Rating) -> Self {
        Self { rating: one_decimal(rating.rating), games: rating.games, provisional: rating.provisional }
    }
}

/// A player's ratings by class.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ratings {
    pub(crate) bullet: Rating,
    pub(crate) blitz: Rating,
    pub(crate) rapid: Rating,
}

impl Ratings {
    /// From the rating service's list; a class it leaves out has no games yet.
    pub(crate) fn of(ratings: &[rating::Rating]) -> Self {
        let of = |class: Class| {
            let found = ratings.iter().find(|rating| rating.class() == class.wire());
            found.map_or(Rating { rating: 1500.0, games: 0, provisional: true }, Rating::from)
        };
        Self { bullet: of(Class::Bullet), blitz: of(Class::Blitz), rapid: of(Class::Rapid) }
    }
}

/// One change of a rating.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RatingChange {
    /// Number of the game among the rated games of its class.
    pub(crate) sequence: u64,
    #[schema(format = Uuid)]
    pub(crate) game_id: String,
    #[schema(nullable = false)]
    pub(crate) class: Option<Class>,
    /// 1 to 4.
    pub(crate) place: u32,
    pub(crate) rating_before: f64,
    pub(crate) rating_after: f64,
    #[schema(format = DateTime)]
    pub(crate) at: String,
}

impl From<&rating::HistoryItem> for RatingChange {
    fn from(item: &rating::HistoryItem) -> Self {
        Self {
            sequence: item.sequence,
            game_id: item.game_id.clone(),
            class: Class::of(item.class()),
            place: item.place,
            rating_before: one_decimal(item.before),
            rating_after: one_decimal(item.after),
            at: moment(item.at_unix_ms),
        }
    }
}

/// A line of a leaderboard.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Leader {
    /// From 1.
    pub(crate) rank: u32,
    pub(crate) player: Player,
    #[serde(flatten)]
    pub(crate) rating: Rating,
}
