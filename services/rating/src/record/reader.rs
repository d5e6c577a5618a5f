use std::collections::HashSet;

use proto::types::v1::event::{Aborted, Created, Moved, Over, Started, What};
use proto::types::v1::{AbortReason, ArmyState, Counters, EndReason, Event, Player, Seat, Settings, Visibility};
use proto::{Code, GameId, PlayerId, Refusal};
use timekeeping::UnixMs;

use super::{Ending, MoveRecord, Record, SeatRecord, is_event_id};
use crate::word::Word as _;

/// The newest schema of events that this build reads.
const SCHEMA: u32 = 1;

impl Record {
    /// Reads the log of a finished or aborted game, from its first event to `over`, `rated` or `aborted`.
    ///
    /// # Errors
    /// `BAD_REQUEST` that names what is wrong; `UNAVAILABLE` for events of a newer release, which another replica
    /// may understand.
    pub fn read(game: GameId, events: Vec<Event>) -> Result<Self, Refusal> {
        if events.iter().any(|event| event.schema > SCHEMA) {
            return Err(Refusal::new(Code::Unavailable, "events: of a newer schema than this replica reads"));
        }
        let mut story = Story::default();
        for (index, event) in events.iter().enumerate() {
            if event.v != index as u64 + 1 {
                return Err(bad(event, format_args!("expected v {}", index + 1)));
            }
            if !is_event_id(&event.id) {
                return Err(bad(event, "id is not a valid id"));
            }
            story.tell(event)?;
        }
        story.into_record(game, events)
    }
}

fn bad(event: &Event, problem: impl std::fmt::Display) -> Refusal {
    Refusal::bad_request("events", format_args!("at v {}: {problem}", event.v))
}

fn seat(event: &Event, number: i32) -> Result<Seat, Refusal> {
    Seat::try_from(number).ok().filter(|seat| *seat != Seat::Unspecified).ok_or_else(|| bad(event, "no such seat"))
}

/// Red is 0.
fn turn(seat: Seat) -> usize {
    (seat as usize).saturating_sub(1)
}

/// What has been told so far.
#[derive(Default)]
struct Story {
    settings: Option<(Settings, UnixMs)>,
    started_ms: Option<UnixMs>,
    ending: Option<(Told, UnixMs)>,
    rated: bool,
    seats: [SeatRecord; 4],
    moves: Vec<MoveRecord>,
}

enum Told {
    Over(EndReason),
    Aborted(AbortReason, Option<Seat>),
}

impl Story {
    fn tell(&mut self, event: &Event) -> Result<(), Refusal> {
        let what = event.what.as_ref().ok_or_else(|| bad(event, "nothing happened that this release knows"))?;
        match (event.v, what) {
            (1, What::Created(created)) => return self.created(event, created),
            (1, _) => return Err(bad(event, "expected `created`")),
            (_, What::Created(_)) => return Err(bad(event, "created twice")),
            _ => {}
        }
        match (&self.ending, what) {
            (Some((Told::Over(_), _)), What::Rated(_)) if !self.rated && self.is_rated() => {
                self.rated = true;
                return Ok(());
            }
            (Some(_), _) | (None, What::Rated(_)) => return Err(bad(event, "expected the log to end")),
            (None, _) => {}
        }
        match what {
            What::Seated(seated) => self.sit(event, seated.seat, seated.player.as_ref())?,
            What::Left(left) => self.seats[turn(seat(event, left.seat)?)].player = None,
            What::Started(started) => self.started(event, started)?,
            What::Moved(moved) => self.moved(event, moved)?,
            What::Over(over) => self.over(event, over)?,
            What::Aborted(aborted) => self.aborted(event, aborted)?,
            // The counters tell what these led to; the last two were judged above.
            What::Resigned(_) | What::TimedOut(_) | What::ArmyOut(_) | What::ClockAdjusted(_) => {}
            What::Created(_) | What::Rated(_) => {}
        }
        Ok(())
    }

    fn is_rated(&self) -> bool {
        self.settings.as_ref().is_some_and(|(settings, _)| settings.rated)
    }

    fn created(&mut self, event: &Event, created: &Created) -> Result<(), Refusal> {
        let settings = created.settings.clone().ok_or_else(|| bad(event, "settings are missing"))?;
        self.settings = Some((settings, event.at_unix_ms));
        Ok(())
    }

    fn sit(&mut self, event: &Event, number: i32, player: Option<&Player>) -> Result<(), Refusal> {
        let player = player.ok_or_else(|| bad(event, "player is missing"))?;
        let id = player.id.parse::<PlayerId>().map_err(|_| bad(event, "player.id is not a valid id"))?;
        if !player.rating.is_finite() {
            return Err(bad(event, "player.rating is not a number"));
        }
        self.seats[turn(seat(event, number)?)].player = Some((id, player.clone()));
        Ok(())
    }

    fn started(&mut self, event: &Event, started: &Started) -> Result<(), Refusal> {
        if self.started_ms.replace(event.at_unix_ms).is_some() {
            return Err(bad(event, "started twice"));
        }
        for seat in &mut self.seats {
            seat.player = None;
        }
        for seated in &started.seats {
            self.sit(event, seated.seat, seated.player.as_ref())?;
        }
        Ok(())
    }

    fn moved(&mut self, event: &Event, moved: &Moved) -> Result<(), Refusal> {
        let seat = seat(event, moved.seat)?;
        let counters = event.after.as_ref().ok_or_else(|| bad(event, "after is missing"))?;
        let remaining_ms = counters.remaining_ms.get(turn(seat)).copied();
        self.moves.push(MoveRecord {
            seat,
            mv: moved.r#move.clone(),
            san: moved.san.clone(),
            captured: Some(moved.captured.clone()).filter(|captured| !captured.is_empty()),
            promoted: moved.promoted,
            by_roaming: moved.by_roaming,
            at_ms: event.at_unix_ms,
            remaining_ms: remaining_ms.ok_or_else(|| bad(event, "after.remaining_ms is not of four"))?,
        });
        Ok(())
    }

    fn over(&mut self, event: &Event, over: &Over) -> Result<(), Refusal> {
        if self.started_ms.is_none() {
            return Err(bad(event, "over before it started"));
        }
        let reason = EndReason::try_from(over.reason).ok().filter(|reason| reason.word().is_some());
        let reason = reason.ok_or_else(|| bad(event, "over.reason is not specified"))?;
        self.count(event)?;
        let mut places = HashSet::new();
        for standing in &over.standing {
            let record = &mut self.seats[turn(seat(event, standing.seat)?)];
            if record.place.is_some() || !(1..=4).contains(&standing.place) || !places.insert(standing.place) {
                return Err(bad(event, "over.standing gives no four places"));
            }
            record.result = standing.result;
            record.place = Some(standing.place);
        }
        if self.seats.iter().any(|seat| seat.player.is_some() && seat.place.is_none()) {
            return Err(bad(event, "over.standing leaves out a player"));
        }
        self.ending = Some((Told::Over(reason), event.at_unix_ms));
        Ok(())
    }

    fn aborted(&mut self, event: &Event, aborted: &Aborted) -> Result<(), Refusal> {
        let reason = AbortReason::try_from(aborted.reason).ok().filter(|reason| reason.word().is_some());
        let reason = reason.ok_or_else(|| bad(event, "aborted.reason is not specified"))?;
        let by = if aborted.seat == 0 { None } else { Some(seat(event, aborted.seat)?) };
        if self.started_ms.is_some() {
            self.count(event)?;
        }
        self.ending = Some((Told::Aborted(reason, by), event.at_unix_ms));
        Ok(())
    }

    /// Takes points and armies as they stand after the last event.
    fn count(&mut self, event: &Event) -> Result<(), Refusal> {
        let none = Counters::default();
        let counters = event.after.as_ref().unwrap_or(&none);
        if counters.points.len() != 4 || counters.armies.len() != 4 {
            return Err(bad(event, "after does not count four armies"));
        }
        for ((record, points), army) in self.seats.iter_mut().zip(&counters.points).zip(&counters.armies) {
            let army = ArmyState::try_from(*army).ok().filter(|army| army.word().is_some());
            record.army = Some(army.ok_or_else(|| bad(event, "after.armies has an unknown state"))?);
            record.points = *points;
            record.result = *points;
        }
        Ok(())
    }

    fn into_record(self, game: GameId, events: Vec<Event>) -> Result<Record, Refusal> {
        let incomplete = || Refusal::bad_request("events", "not the log of a finished game");
        let (settings, created_ms) = self.settings.ok_or_else(incomplete)?;
        let (told, ended_ms) = self.ending.ok_or_else(incomplete)?;
        let ending = match told {
            Told::Over(reason) => Ending::Over(reason),
            Told::Aborted(reason, by) => {
                let culprit = by.filter(|_| reason == AbortReason::NoFirstMove);
                let culprit = culprit.and_then(|seat| self.seats[turn(seat)].player.as_ref().map(|(id, _)| *id));
                Ending::Aborted { reason, culprit }
            }
        };
        let setting = |name: &str, problem: &str| Refusal::bad_request(&format!("events: settings.{name}"), problem);
        let visibility = Visibility::try_from(settings.visibility).ok().filter(|value| value.word().is_some());
        let record = Record {
            game,
            rated: settings.rated,
            visibility: visibility.ok_or_else(|| setting("visibility", "not specified"))?,
            time_control: settings.time_control.parse().map_err(|_| setting("time_control", "not a time control"))?,
            rematch_of: match settings.rematch_of.as_str() {
                "" => None,
                id => Some(id.parse().map_err(|_| setting("rematch_of", "not a valid id"))?),
            },
            start_fen4: Some(settings.start_fen4).filter(|fen4| !fen4.is_empty()),
            created_ms,
            started_ms: self.started_ms,
            ended_ms,
            ending,
            seats: self.seats,
            moves: self.moves,
            events,
        };
        if record.rated && matches!(record.ending, Ending::Over(_)) {
            let players = record.players_by_place().map(|players| HashSet::from(players).len());
            if players != Some(4) {
                return Err(Refusal::bad_request("events", "a rated game has four players"));
            }
        }
        Ok(record)
    }
}
