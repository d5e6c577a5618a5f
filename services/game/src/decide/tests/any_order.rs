use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Try {
    Move { who: u8, pick: usize },
    Stale { who: u8, ply: u32 },
    Resign(u8),
    Wait(i64),
    WaitUntilDue,
    Outage(i64),
}

fn any_try() -> impl Strategy<Value = Try> {
    prop_oneof![
        12 => (0u8..4, any::<usize>()).prop_map(|(who, pick)| Try::Move { who, pick }),
        1 => (0u8..5, 0u32..40).prop_map(|(who, ply)| Try::Stale { who, ply }),
        1 => (0u8..4).prop_map(Try::Resign),
        4 => (0i64..4_000).prop_map(Try::Wait),
        2 => Just(Try::WaitUntilDue),
        1 => (2_001i64..20_000).prop_map(Try::Outage),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// `Bench` checks every step against a replay. Here: no seat is ever charged more than has passed, points never
    /// fall, and whoever is out of time has timed out.
    #[test]
    fn commands_in_any_order_leave_a_game_that_adds_up(tries in prop::collection::vec(any_try(), 1..120)) {
        let mut bench = Bench::started("0.1+1");
        for attempt in tries {
            let before = bench.state.counters();
            match attempt {
                Try::Move { who, pick } => {
                    let moves = bench.state.position.legal_moves();
                    if !moves.is_empty() {
                        let text = moves[pick % moves.len()].to_string();
                        let _ = bench.play(who, &text);
                    }
                }
                Try::Stale { who, ply } => {
                    let _ = bench.tell(&Command::Move { player: player(who).id, ply, text: "h2-h3".to_owned() });
                }
                Try::Resign(who) => { let _ = bench.resign(who); }
                Try::Wait(ms) => bench.now += ms,
                Try::WaitUntilDue => {
                    if let Some(due) = bench.state.due() {
                        bench.now = bench.now.max(due.at);
                        bench.settle();
                    }
                }
                Try::Outage(ms) => {
                    bench.outages.push(Outage { id: bench.now.to_string(), from: bench.now, to: bench.now + ms });
                    bench.now += ms;
                }
            }
            let after = bench.state.counters();
            for seat in 0..4 {
                prop_assert!(after.points[seat] >= before.points[seat]);
                prop_assert!(after.remaining_ms[seat] >= 0);
            }
            prop_assert!(bench.state.due().is_none_or(|due| due.at > bench.state.last_at || bench.state.last_at <= bench.now));
            prop_assert!(after.ply >= before.ply);
        }
    }
}
