use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::sync::OnceCell;

use crate::{keeper, port};

const INSTALLED: &str = "/usr/lib/postgresql";
/// Nothing here needs to survive a loss of power.
const SETTINGS: [&str; 9] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "max_connections=400",
    "shared_buffers=32MB",
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
];

/// The port of the one server of this process.
static SERVER: OnceCell<u16> = OnceCell::const_new();
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// The URL of a new, empty database. The first call starts the server, in about a second.
///
/// # Panics
/// If PostgreSQL is not installed or does not start.
pub async fn postgres() -> String {
    let port = *SERVER.get_or_init(start).await;
    let database = format!("test_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
    let mut connection = PgConnection::connect(&url(port, "postgres")).await.expect("PostgreSQL takes connections");
    let statement = AssertSqlSafe(format!("CREATE DATABASE {database} TEMPLATE template0"));
    sqlx::query(statement).execute(&mut connection).await.expect("a database can be made");
    connection.close().await.expect("the connection closes");
    url(port, &database)
}

fn url(port: u16, database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/{database}")
}

async fn start() -> u16 {
    let programs = programs();
    let user = ordinary_user();
    let folder = keeper::folder("postgres", user);
    let data = folder.join("data");
    let mut initdb = Command::new(programs.join("initdb"));
    initdb.arg("-D").arg(&data).args(["-U", "postgres", "-A", "trust", "-N", "--no-locale", "-E", "UTF8"]);
    initdb.current_dir(&folder);
    if let Some(user) = user {
        user.wear(&mut initdb);
    }
    let made = initdb.output().expect("initdb can be run");
    assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));

    let program = programs.join("postgres");
    let begin = |port: u16| {
        let port = port.to_string();
        let mut server = vec![text(&program), "-D", text(&data), "-p", &port];
        for setting in SETTINGS {
            server.extend(["-c", setting]);
        }
        keeper::keep(&folder, "QUIT", user, &server);
        folder.clone()
    };
    let connect = async |port| PgConnection::connect(&url(port, "postgres")).await.map_err(|error| error.to_string());
    let (port, connection) = port::listening("PostgreSQL", begin, connect).await;
    connection.close().await.expect("the connection closes");
    port
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
