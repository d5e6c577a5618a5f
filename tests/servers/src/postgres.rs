use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::sync::OnceCell;

use crate::keeper::{self, Keeper};
use crate::port;

const INSTALLED: &str = "/usr/lib/postgresql";
const SETTINGS: [&str; 3] = ["max_connections=400", "listen_addresses=127.0.0.1", "unix_socket_directories="];
/// What is on the disk survives the end of the server, but not a loss of power.
const HASTY: [&str; 5] =
    ["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "shared_buffers=32MB"];

/// The one server of those who need no more than a database.
static SHARED: OnceCell<Postgres> = OnceCell::const_new();

/// The URL of a new, empty database. The first call starts the server, in about a second; it lasts as long as the test
/// process.
///
/// # Panics
/// If PostgreSQL is not installed or does not start.
pub async fn postgres() -> String {
    SHARED.get_or_init(Postgres::start).await.database().await
}

/// One PostgreSQL server, gone with this value.
#[derive(Debug)]
pub struct Postgres {
    keeper: Keeper,
    port: u16,
    databases: AtomicU32,
}

impl Postgres {
    /// Starts a server, in about a second.
    ///
    /// # Panics
    /// If PostgreSQL is not installed or does not start.
    pub async fn start() -> Self {
        Self::with(&HASTY).await
    }

    /// As a fresh installation: what was committed survives anything.
    ///
    /// # Panics
    /// If PostgreSQL is not installed or does not start.
    pub async fn durable() -> Self {
        Self::with(&[]).await
    }

    async fn with(more: &[&str]) -> Self {
        let programs = programs();
        let user = ordinary_user();
        let program = programs.join("postgres");
        let begin = |port: u16| {
            let (folder, port) = (keeper::folder("postgres", user), port.to_string());
            let data = folder.join("data");
            let mut initdb = Command::new(programs.join("initdb"));
            initdb.arg("-D").arg(&data).args(["-U", "postgres", "-A", "trust", "-N", "--no-locale", "-E", "UTF8"]);
            initdb.current_dir(&folder);
            if let Some(user) = user {
                user.wear(&mut initdb);
            }
            let made = initdb.output().expect("initdb can be run");
            assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
            let mut server = vec![text(&program), "-D", text(&data), "-p", &port];
            for setting in SETTINGS.iter().chain(more) {
                server.extend(["-c", setting]);
            }
            Keeper::start(&folder, "QUIT", user, &server)
        };
        let (port, keeper) = port::listening("PostgreSQL", begin, async |port, _| answers(port).await).await;
        Self { keeper, port, databases: AtomicU32::new(0) }
    }

    /// The URL of a new, empty database.
    ///
    /// # Panics
    /// If the server does not make one.
    pub async fn database(&self) -> String {
        let database = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut connection =
            PgConnection::connect(&url(self.port, "postgres")).await.expect("PostgreSQL takes connections");
        let statement = AssertSqlSafe(format!("CREATE DATABASE {database} TEMPLATE template0"));
        sqlx::query(statement).execute(&mut connection).await.expect("a database can be made");
        connection.close().await.expect("the connection closes");
        url(self.port, &database)
    }

    /// Ends it at once; returns when it is gone.
    pub fn kill(&self) {
        self.keeper.tell("END");
    }

    /// After [`Postgres::kill`]: the same again, with what it has on its disk.
    ///
    /// # Panics
    /// If it does not start.
    pub async fn restart(&self) {
        self.keeper.tell("START");
        port::repeat("PostgreSQL does not start again", async || answers(self.port).await).await;
    }
}

fn url(port: u16, database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/{database}")
}

async fn answers(port: u16) -> Result<(), String> {
    let connected = async { PgConnection::connect(&url(port, "postgres")).await?.close().await };
    connected.await.map_err(|error| error.to_string())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the paths of programs and of /tmp are text")
}

/// Where the programs of the newest installed release are.
fn programs() -> PathBuf {
    let releases = std::fs::read_dir(INSTALLED).into_iter().flatten().flatten();
    let newest = releases
        .filter_map(|release| release.file_name().to_str()?.parse::<u32>().ok())
        .filter(|release| Path::new(INSTALLED).join(release.to_string()).join("bin/initdb").exists())
        .max();
    let newest =
        newest.unwrap_or_else(|| panic!("{INSTALLED}/*/bin is missing: install the Debian package postgresql"));
    Path::new(INSTALLED).join(newest.to_string()).join("bin")
}

/// PostgreSQL refuses to run as the superuser; then it runs as the user that its package made.
fn ordinary_user() -> Option<keeper::User> {
    use std::os::unix::fs::MetadataExt as _;
    let own = std::fs::metadata("/proc/self").expect("/proc is there").uid();
    if own != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("users are listed");
    let line = users.lines().find_map(|line| line.strip_prefix("postgres:"));
    let mut fields = line.expect("the package postgresql makes the user postgres").split(':').skip(1);
    let mut number = || fields.next().and_then(|field| field.parse().ok()).expect("users have numbers");
    Some(keeper::User { uid: number(), gid: number() })
}
