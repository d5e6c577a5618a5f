//! Redis and PostgreSQL servers that keep their data when they are killed and started again, and that end with this
//! process however it ends.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context as _, bail};
use stories::free_address;

/// Runs the server `$@` until its own input ends: by [`Server::kill`], or because the fault program is gone.
const KEEP: &str = r#"
    "$@" </dev/null >>"$FOLDER/log" 2>&1 &
    server=$!
    read -r _
    kill -s "$SIGNAL" "$server" 2>/dev/null
    wait "$server"
"#;
const INSTALLED: &str = "/usr/lib/postgresql";

#[derive(Debug, Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

pub(crate) struct Server {
    /// Where it is reached, the same after every start.
    pub(crate) url: String,
    folder: PathBuf,
    signal: &'static str,
    user: Option<User>,
    command: Vec<String>,
    running: Option<(Child, ChildStdin)>,
}

impl Server {
    /// A Redis in a new folder, with every write on disk before it is answered. It does not run yet.
    pub(crate) fn redis(folder: PathBuf) -> anyhow::Result<Server> {
        std::fs::create_dir_all(&folder)?;
        let address = free_address();
        let port = address.port().to_string();
        let settings = ["redis-server", "--bind", "127.0.0.1", "--port", &port, "--save", ""];
        let durable = ["--appendonly", "yes", "--appendfsync", "always"];
        let command = settings.iter().chain(&durable).map(|word| (*word).to_owned()).collect();
        let url = format!("redis://{address}");
        Ok(Server { url, folder, signal: "KILL", user: None, command, running: None })
    }

    /// A PostgreSQL in a new folder, with the settings of a fresh installation. It does not run yet. Killing it is an
    /// immediate shutdown: nothing is finished, and the next start recovers from the log.
    pub(crate) fn postgres(folder: PathBuf) -> anyhow::Result<Server> {
        std::fs::create_dir_all(&folder)?;
        let (programs, user) = (programs()?, ordinary_user()?);
        if let Some(User { uid, gid }) = user {
            std::os::unix::fs::chown(&folder, Some(uid), Some(gid))?;
        }
        let data = folder.join("data");
        let mut initdb = Command::new(programs.join("initdb"));
        initdb.arg("-D").arg(&data).args(["-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8"]);
        wear(user, initdb.current_dir(&folder));
        let made = initdb.output().context("initdb")?;
        if !made.status.success() {
            bail!("initdb: {}", String::from_utf8_lossy(&made.stderr));
        }
        let address = free_address();
        let mut command = vec![text(&programs.join("postgres"))?, "-D".to_owned(), text(&data)?];
        command.extend(["-p".to_owned(), address.port().to_string()]);
        for setting in ["max_connections=200", "listen_addresses=127.0.0.1", "unix_socket_directories="] {
            command.extend(["-c".to_owned(), setting.to_owned()]);
        }
        let url = format!("postgres://postgres@{address}/postgres");
        Ok(Server { url, folder, signal: "QUIT", user, command, running: None })
    }

    /// Starts it; it may take a moment until it answers.
    pub(crate) fn start(&mut self) -> anyhow::Result<()> {
        let mut shell = Command::new("sh");
        shell.args(["-c", KEEP, "keeper"]).args(&self.command);
        shell.env("FOLDER", &self.folder).env("SIGNAL", self.signal).current_dir(&self.folder);
        // A group of its own: Ctrl-C is for the program, and the servers end because it did.
        shell.stdin(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        wear(self.user, &mut shell);
        let mut shell = shell.spawn().context("there is no shell")?;
        let input = shell.stdin.take().context("its input is a pipe")?;
        self.running = Some((shell, input));
        Ok(())
    }

    /// Kills it as it stands, and returns when it is gone.
    pub(crate) fn kill(&mut self) {
        if let Some((mut shell, input)) = self.running.take() {
            drop(input);
            let _ = shell.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn wear(user: Option<User>, command: &mut Command) {
    if let Some(User { uid, gid }) = user {
        command.uid(uid).gid(gid);
    }
}

fn text(path: &Path) -> anyhow::Result<String> {
    Ok(path.to_str().context("the folder's path must be text")?.to_owned())
}

/// Where the programs of the newest installed release are.
fn programs() -> anyhow::Result<PathBuf> {
    let releases = std::fs::read_dir(INSTALLED).into_iter().flatten().flatten();
    let newest = releases
        .filter_map(|release| release.file_name().to_str()?.parse::<u32>().ok())
        .filter(|release| Path::new(INSTALLED).join(release.to_string()).join("bin/initdb").exists())
        .max();
    let newest = newest.with_context(|| format!("{INSTALLED} is missing: install the package postgresql"))?;
    Ok(Path::new(INSTALLED).join(newest.to_string()).join("bin"))
}

/// PostgreSQL refuses to run as the superuser; then it runs as the user that its package made.
fn ordinary_user() -> anyhow::Result<Option<User>> {
    use std::os::unix::fs::MetadataExt as _;
    if std::fs::metadata("/proc/self")?.uid() != 0 {
        return Ok(None);
    }
    let users = std::fs::read_to_string("/etc/passwd")?;
    let line = users.lines().find_map(|line| line.strip_prefix("postgres:"));
    let mut fields = line.context("the package postgresql makes the user postgres")?.split(':').skip(1);
    let mut number = || fields.next().and_then(|field| field.parse().ok()).context("users have numbers");
    Ok(Some(User { uid: number()?, gid: number()? }))
}
