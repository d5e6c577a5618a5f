use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Keeps the server `$@`: starts it and sends it signals when told to, and ends it when its own input ends, which it
/// does when the test process is gone.
const KEEP: &str = r#"
    server=
    while read -r word more; do
        case $word in
        START) "$@" $more </dev/null >>"$FOLDER/log" 2>&1 & server=$! ;;
        END) kill -s "$SIGNAL" "$server"; wait "$server"; server= ;;
        *) kill -s "$word" "$server" ;;
        esac
        echo done
    done
    [ -z "$server" ] || { kill -s "$SIGNAL" "$server"; wait "$server"; }
    [ -n "$STAYS" ] || rm -rf "$FOLDER"
"#;

/// Where folders stay.
static KEPT: OnceLock<PathBuf> = OnceLock::new();

/// From now on the servers' folders are made in here and stay, with logs and data.
pub fn keep_folders_in(folder: PathBuf) {
    KEPT.get_or_init(|| folder);
}

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

/// A folder for one server; the keeper removes it, unless [`keep_folders_in`] says otherwise.
pub(crate) fn folder(server: &str, user: Option<User>) -> PathBuf {
    let inside = KEPT.get().map_or(Path::new("/tmp"), PathBuf::as_path);
    let folder = tempfile::Builder::new().prefix(&format!("four-kingdoms-{server}-")).tempdir_in(inside);
    let folder = folder.expect("the folder can be written").keep();
    if let Some(User { uid, gid }) = user {
        std::os::unix::fs::chown(&folder, Some(uid), Some(gid)).expect("the superuser may give a folder away");
    }
    folder
}

/// A server that ends, and whose folder goes, with this value, or with this process however it ends.
#[derive(Debug)]
pub(crate) struct Keeper {
    shell: Child,
    words: Mutex<Words>,
    folder: PathBuf,
}

#[derive(Debug)]
struct Words {
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Keeper {
    /// Starts the server. `signal` is how it ends.
    pub(crate) fn start(folder: &Path, signal: &str, user: Option<User>, server: &[&str]) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", KEEP, "keeper"]).args(server);
        // A group of its own: Ctrl-C is for the tests, and the servers end because the tests did.
        shell
            .env("FOLDER", folder)
            .env("STAYS", KEPT.get().map_or("", |_| "yes"))
            .env("SIGNAL", signal)
            .current_dir(folder)
            .process_group(0);
        // Its last words would only say that it killed the server.
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(user) = user {
            user.wear(&mut shell);
        }
        let mut shell = shell.spawn().expect("there is a shell");
        let output = BufReader::new(shell.stdout.take().expect("its output is a pipe"));
        let words = Mutex::new(Words { input: shell.stdin.take(), output });
        let keeper = Self { shell, words, folder: folder.to_owned() };
        keeper.tell("START");
        keeper
    }

    /// `START`, perhaps with more arguments, `END`, or the name of a signal; returns once it is done.
    pub(crate) fn tell(&self, word: &str) {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let input = words.input.as_mut().expect("the keeper listens");
        writeln!(input, "{word}").expect("the keeper lives");
        let mut done = String::new();
        words.output.read_line(&mut done).expect("the keeper lives");
        assert_eq!(done, "done\n", "the keeper is gone");
    }

    /// What the server wrote so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.words.get_mut().unwrap_or_else(PoisonError::into_inner).input = None;
        let _ = self.shell.wait();
    }
}
