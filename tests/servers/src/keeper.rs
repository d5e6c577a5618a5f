use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Runs the server `$@` until its own input ends, which it does when the test process is gone.
const KEEP: &str = r#"
    "$@" </dev/null >"$FOLDER/log" 2>&1 &
    server=$!
    read -r _
    kill -s "$SIGNAL" "$server"
    wait "$server"
    rm -rf "$FOLDER"
"#;

/// Their inputs are open for as long as this process lives.
static KEPT: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// A user to run a server as.
#[derive(Debug, Clone, Copy)]
pub(crate) struct User {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

impl User {
    pub(crate) fn wear(self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }
}

/// A folder for one server; the keeper removes it.
pub(crate) fn folder(server: &str, user: Option<User>) -> PathBuf {
    let folder = tempfile::Builder::new().prefix(&format!("four-kingdoms-{server}-")).tempdir_in("/tmp");
    let folder = folder.expect("/tmp can be written").keep();
    if let Some(User { uid, gid }) = user {
        std::os::unix::fs::chown(&folder, Some(uid), Some(gid)).expect("the superuser may give a folder away");
    }
    folder
}

/// Starts a server that ends, and whose folder goes, with this process.
pub(crate) fn keep(folder: &Path, signal: &str, user: Option<User>, server: &[&str]) {
    let mut shell = Command::new("sh");
    shell.args(["-c", KEEP, "keeper"]).args(server);
    // A group of its own: Ctrl-C is for the tests, and the servers end because the tests did.
    shell.env("FOLDER", folder).env("SIGNAL", signal).current_dir(folder).stdin(Stdio::piped());
    // Its last words would only say that it killed the server.
    shell.stderr(Stdio::null()).process_group(0);
    if let Some(user) = user {
        user.wear(&mut shell);
    }
    let shell = shell.spawn().expect("there is a shell");
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(shell);
}

/// What a server wrote, for the message when it does not come up.
pub(crate) fn log(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("log")).unwrap_or_default()
}
