use std::collections::HashSet;

use super::*;

/// What is left of a crashed process.
struct Left {
    file: TemporarySqlite,
    clock: Arc<AtomicI64>,
    fakes: Arc<Fakes>,
    tickets: Vec<(TicketId, PlayerId)>,
}

/// Runs a hall in a runtime of its own until the game service was asked, and lets that runtime die there: what is
/// left is what a killed process leaves.
fn crash_while_making(making: Making) -> Left {
    let doomed = tokio::runtime::Runtime::new().unwrap();
    let left = doomed.block_on(async {
        let fixture = Fixture::new().await;
        fixture.fakes.tell(|told| told.making = making);
        fixture.hall.run();
        let tickets = fixture.alike(4).await;
        fixture.fakes.called.notified().await;
        Left { file: fixture.file, clock: fixture.clock, fakes: fixture.fakes, tickets }
    });
    doomed.shutdown_background();
    left
}

fn restart_after(making: Making) -> (Vec<State>, Arc<Fakes>) {
    let Left { file, clock, fakes, tickets } = crash_while_making(making);
    // The claim of the crashed process runs out.
    clock.fetch_add(8_000, Ordering::SeqCst);
    let states = tokio::runtime::Runtime::new().unwrap().block_on(async {
        fakes.tell(|told| told.making = Making::Well);
        let sqlite = Sqlite::open(file.folder()).await.unwrap();
        let hall = hall_on(sqlite, &clock, &fakes, &Drain::new(), true).await;
        hall.run();
        let mut states = Vec::new();
        for ticket in tickets {
            states.push(closed_in(&hall, ticket).await);
        }
        states
    });
    (states, fakes)
}

fn assert_one_game_of_four(states: &[State], fakes: &Fakes) {
    let places: HashSet<_> = states
        .iter()
        .map(|state| match state {
            State::Matched(place, _) => (place.game, place.seat),
            other => panic!("{other:?} instead of matched"),
        })
        .collect();
    let games: Vec<_> = fakes.tell(|told| told.games.keys().copied().collect());
    assert_eq!(games.len(), 1, "one four, one game");
    assert_eq!(places, Seat::ALL.map(|seat| (games[0], seat)).into());
}

#[test]
fn a_crash_before_the_game_was_made_loses_no_ticket() {
    let (states, fakes) = restart_after(Making::Lost);
    assert_one_game_of_four(&states, &fakes);
}

#[test]
fn a_crash_after_the_game_was_made_makes_no_second_one() {
    let (states, fakes) = restart_after(Making::AnswerLost);
    assert_one_game_of_four(&states, &fakes);
    assert!(fakes.tell(|told| told.calls) >= 2);
}
