//! One run: start everything, play, strike, let games end, check, report.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use futures::FutureExt as _;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::arguments::Arguments;
use crate::check::Evidence;
use crate::dice::Dice;
use crate::door::Door;
use crate::fleet::Fleet;
use crate::journal::{Check, Journal};
use crate::lobby::{PUBLISHED, Player, World};
use crate::plan::{Fault, Planned, schedule};
use crate::redis_home::RedisHome;
use crate::report::{report, say};
use crate::service::Binaries;
use crate::strike::Targets;
use crate::timeline::{Subject, Timeline, Window};
use crate::{check, report as telling};

/// For all games to end after the last fault.
const LAST_GAMES: Duration = Duration::from_secs(150);
const SIGNING_UP: usize = 16;
/// How often it is looked whether the machine is busy, and from when on it is.
const PROBE: Duration = Duration::from_millis(100);
const BUSY_MS: i64 = 600;
/// Slow enough that so many players leave the machine air.
const THOUGHT_MS_PER_GAME: u64 = 30;

/// True if nothing was found.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<bool> {
    if arguments.schedule {
        schedule(arguments.seed, arguments.minutes, arguments.redis)
            .iter()
            .for_each(|planned| say(&planned.to_string()));
        return Ok(true);
    }
    let folder = new_folder(&arguments)?;
    say(&format!("seed {}, logs and data in {}", arguments.seed, folder.display()));
    // Servers that cannot be had panic.
    let gone = AssertUnwindSafe(go(&arguments, &folder)).catch_unwind().await;
    let (passed, text) = match gone.unwrap_or_else(|_| Err(anyhow!("it panicked"))) {
        Ok(done) => done,
        Err(error) => return Err(error.context(format!("seed {}; see {}", arguments.seed, folder.display()))),
    };
    std::fs::write(folder.join("report.txt"), &text)?;
    if passed && !arguments.keep {
        std::fs::remove_dir_all(&folder)?;
    } else {
        say(&format!("seed {}: everything is kept in {}", arguments.seed, folder.display()));
    }
    say(&text);
    Ok(passed)
}

fn new_folder(arguments: &Arguments) -> anyhow::Result<PathBuf> {
    let name = format!("faults-{}-{}-{}", arguments.seed, runtime::wall_clock_ms(), std::process::id());
    let folder = std::path::absolute(arguments.folder.join(name))?;
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

async fn go(arguments: &Arguments, folder: &Path) -> anyhow::Result<(bool, String)> {
    let binaries = Binaries::hold(folder.join("bin"))?;
    if !binaries.failpoints {
        say("the game service was built without the feature `failpoints`: none of them will be hit");
    }
    let mut planned = schedule(arguments.seed, arguments.minutes, arguments.redis);
    planned.retain(|planned| binaries.failpoints || !matches!(planned.fault, Fault::Failpoint { .. }));
    let (journal, timeline) = (Arc::new(Journal::default()), Arc::new(Timeline::default()));
    let targets = start(arguments, binaries, folder, &journal, &timeline).await?;
    for node in targets.redis.nodes() {
        tokio::spawn(probe(node.durable_url(), Arc::clone(&timeline)));
    }
    let (close, closing) = tokio::sync::watch::channel(false);
    let door = Door { gateways: targets.fleet.gateways(), journal: Arc::clone(&journal) };
    let longest_thought_ms = THOUGHT_MS_PER_GAME * u64::from(arguments.games);
    let world = Arc::new(World { door, journal: Arc::clone(&journal), closing, longest_thought_ms });

    let mut dice = Dice::new(arguments.seed).fork();
    let players = sign_up(&world, &mut dice, arguments.games as usize * 4).await?;
    say(&format!("{} players have signed up", players.len()));
    let mut playing = seat(&world, players, &mut dice);
    strike(&targets, &planned, arguments).await;

    say("faults are over; games come to their end");
    let _ = close.send(true);
    targets.fleet.ready().await?;
    let all_done = timeout(LAST_GAMES, async { while playing.join_next().await.is_some() {} }).await;
    if all_done.is_err() {
        let what = format!("{} tables were still at it {LAST_GAMES:?} after the last fault", playing.len());
        journal.found(Check::Ends, what);
        playing.abort_all();
    }
    say("checking");
    let evidence = Evidence {
        journal: &journal,
        gateways: targets.fleet.gateways(),
        redis: &targets.redis,
        postgres: &targets.database,
        timeline: &timeline,
    };
    let counts = check::check(&evidence).await?;
    for panic in targets.fleet.panics() {
        journal.found(Check::Processes, panic);
    }
    targets.fleet.stop();
    let seen = journal.seen();
    write_out(folder, &seen, &planned)?;
    let (text, passed) = report(arguments, &seen, &counts);
    Ok((passed, text))
}

async fn start(
    arguments: &Arguments,
    binaries: Binaries,
    folder: &Path,
    journal: &Arc<Journal>,
    timeline: &Arc<Timeline>,
) -> anyhow::Result<Targets> {
    servers::keep_folders_in(folder.to_owned());
    timeline.mark(Subject::Redis, true);
    let redis = RedisHome::start(arguments.redis).await;
    let postgres = servers::Postgres::durable().await;
    let database = postgres.database().await;
    let settings = [
        ("FK_REDIS_URL", redis.url()),
        ("FK_DATABASE_URL", database.clone()),
        ("FK_TIME_CONTROLS", PUBLISHED.join(",")),
        ("FK_FIRST_MOVE_MS", "15000".to_owned()),
        ("FK_ROAMING_DELAY_MS", "300".to_owned()),
        ("FK_LIMITS", "off".to_owned()),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let fleet = Fleet::start(binaries, folder.to_owned(), settings, Arc::clone(timeline), Arc::clone(journal)).await?;
    say("the platform is ready");
    let (timeline, journal) = (Arc::clone(timeline), Arc::clone(journal));
    Ok(Targets { fleet, redis, postgres, database, timeline, journal })
}

/// Writes to a Redis server as a heart does, and notes when the machine was too busy for it.
async fn probe(url: String, timeline: Arc<Timeline>) -> anyhow::Result<()> {
    let client = redis::Client::open(url)?;
    let (mut connection, mut last_ms) = (None, runtime::wall_clock_ms());
    loop {
        sleep(PROBE).await;
        if connection.is_none() {
            connection = client.get_multiplexed_async_connection().await.ok();
        }
        if let Some(redis) = &mut connection {
            // A replica refuses, which is an answer, too.
            let beat: redis::RedisResult<()> =
                redis::cmd("SET").arg(&["probe", "beat", "EX", "60"]).query_async(redis).await;
            if beat.is_err_and(|error| error.is_unrecoverable_error()) {
                connection = None;
            }
        }
        let now_ms = runtime::wall_clock_ms();
        if now_ms - last_ms > BUSY_MS {
            timeline.was_busy(Window { from: last_ms, to: now_ms });
        }
        last_ms = now_ms;
    }
}

async fn sign_up(world: &Arc<World>, dice: &mut Dice, number: usize) -> anyhow::Result<Vec<Player>> {
    let (mut signing, mut players) = (JoinSet::new(), Vec::new());
    for _ in 0..number {
        let (world, mut dice) = (Arc::clone(world), dice.fork());
        signing.spawn(async move { world.sign_up(&mut dice).await });
        if signing.len() >= SIGNING_UP {
            players.extend(signing.join_next().await.and_then(Result::ok).flatten());
        }
    }
    while let Some(signed) = signing.join_next().await {
        players.extend(signed.ok().flatten());
    }
    anyhow::ensure!(players.len() == number, "only {} of {number} players could sign up", players.len());
    Ok(players)
}

/// Two of five games are rated ones of strangers, the others private ones of friends.
fn seat(world: &Arc<World>, mut players: Vec<Player>, dice: &mut Dice) -> JoinSet<()> {
    let mut playing = JoinSet::new();
    // Four or a multiple of it in each pool, or somebody would always wait.
    let each_pool = players.len() / 4 * 2 / 5 / PUBLISHED.len();
    let strangers = each_pool * PUBLISHED.len() * 4;
    for (number, player) in players.split_off(players.len() - strangers).into_iter().enumerate() {
        let (world, dice) = (Arc::clone(world), dice.fork());
        let control = PUBLISHED[number % PUBLISHED.len()];
        playing.spawn(async move { world.stranger(player, control, dice).await });
    }
    for four in players.chunks(4) {
        let (world, four, dice) = (Arc::clone(world), four.to_vec(), dice.fork());
        playing.spawn(async move { world.friends(four, dice).await });
    }
    playing
}

/// Carries the schedule out while games are played, and tells how it goes.
async fn strike(targets: &Targets, planned: &[Planned], arguments: &Arguments) {
    let until = Instant::now() + Duration::from_secs_f64(arguments.minutes * 60.0);
    let telling = async {
        loop {
            sleep(Duration::from_secs(15)).await;
            let seen = targets.journal.seen();
            let (games, done, found) = (seen.games.len(), seen.done.len(), seen.findings.len());
            drop(seen);
            telling::say(&format!("... {games} games so far, {done} acknowledgements, {found} checks with findings"));
        }
    };
    tokio::select! {
        () = targets.strike(planned) => {}
        () = telling => {}
    }
    tokio::time::sleep_until(until).await;
}

/// What clients saw, for whoever looks into a finding.
fn write_out(folder: &Path, seen: &crate::journal::Seen, planned: &[Planned]) -> anyhow::Result<()> {
    let events = seen.games.iter().flat_map(|(game, known)| {
        known.events.values().map(move |event| serde_json::json!({"game": game, "event": event}).to_string())
    });
    std::fs::write(folder.join("events.jsonl"), events.collect::<Vec<_>>().join("\n"))?;
    let done: Vec<String> = seen.done.iter().map(|done| format!("{done:?}")).collect();
    std::fs::write(folder.join("acknowledged.txt"), done.join("\n"))?;
    let tickets: Vec<String> = seen.tickets.iter().map(|ticket| format!("{ticket:?}")).collect();
    std::fs::write(folder.join("tickets.txt"), tickets.join("\n"))?;
    let schedule: Vec<String> = planned.iter().map(ToString::to_string).collect();
    std::fs::write(folder.join("schedule.txt"), schedule.join("\n"))?;
    let findings: Vec<String> =
        seen.findings.iter().flat_map(|(check, all)| all.iter().map(move |one| format!("{check:?}: {one}"))).collect();
    std::fs::write(folder.join("findings.txt"), findings.join("\n\n"))?;
    Ok(())
}
