use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::{Service, free_address};

/// Kills what this process started, if it is itself killed.
const UNDERTAKER: &str = r#"
    alive=" "
    while read -r mark pid; do
        case $mark in
            born) alive="$alive$pid " ;;
            dead) alive=$(printf %s "$alive" | sed "s/ $pid / /") ;;
        esac
    done
    kill -s KILL $alive 2>/dev/null
"#;

static TOLD: LazyLock<Mutex<Option<ChildStdin>>> = LazyLock::new(|| {
    let mut shell = Command::new("sh");
    // A group of its own: Ctrl-C is for the tests.
    shell.args(["-c", UNDERTAKER]).stdin(Stdio::piped()).process_group(0);
    Mutex::new(shell.spawn().ok().and_then(|mut shell| shell.stdin.take()))
});

fn note(mark: &str, id: u32) {
    if let Some(undertaker) = TOLD.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        let _ = writeln!(undertaker, "{mark} {id}");
    }
}

/// A process of the platform: it keeps its addresses over all its starts, and ends with this value, and with this
/// process however it ends.
pub struct Replica {
    /// What it is.
    pub service: Service,
    /// Counted from 0 among those of its service.
    pub number: usize,
    /// The operating port.
    pub ops: SocketAddr,
    serves: Vec<(Service, SocketAddr)>,
    child: Option<Child>,
}

impl Replica {
    /// So many of each, on free ports. None runs yet.
    pub fn of(services: &[Service], each: usize) -> Vec<Replica> {
        let numbered = services.iter().flat_map(|service| (0..each).map(|number| (*service, number)));
        let new = |(service, number): (Service, usize)| Replica {
            service,
            number,
            ops: free_address(),
            serves: service.within().iter().map(|served| (*served, free_address())).collect(),
            child: None,
        };
        numbered.map(new).collect()
    }

    /// Where it serves this: the public API of the gateway, gRPC of the others.
    pub fn address(&self, service: Service) -> Option<SocketAddr> {
        self.serves.iter().find(|(served, _)| *served == service).map(|(_, address)| *address)
    }

    /// Runs it, with these settings and its own addresses. Its input and outputs are those of `streams`.
    pub fn start(
        &mut self,
        binaries: &Path,
        settings: &[(String, String)],
        streams: impl FnOnce(&mut Command),
    ) -> io::Result<&mut Child> {
        let mut command = Command::new(binaries.join(self.service.name()));
        crate::service::dress(&mut command, settings);
        command.env("FK_OPS_ADDR", self.ops.to_string());
        for (service, address) in &self.serves {
            command.env(service.address_setting(), address.to_string());
        }
        command.stdin(Stdio::null());
        streams(&mut command);
        let child = command.spawn()?;
        note("born", child.id());
        Ok(self.child.insert(child))
    }

    /// Whether it was started and has not been found to have ended.
    pub const fn runs(&self) -> bool {
        self.child.is_some()
    }

    /// Sends a signal by name, such as `STOP`, if it runs.
    pub fn signal(&self, name: &str) {
        if let Some(child) = &self.child {
            let _ = Command::new("sh").arg("-c").arg(format!("kill -s {name} {}", child.id())).status();
        }
    }

    /// How it ended, told once; none while it runs, or if it was not started.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.as_mut()?.try_wait().ok().flatten()?;
        self.forget();
        Some(status)
    }

    /// SIGKILL; returns when it is gone.
    pub fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
            self.forget();
        }
    }

    fn forget(&mut self) {
        if let Some(child) = self.child.take() {
            note("dead", child.id());
        }
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The settings by which replicas find each other.
pub fn links(replicas: &[Replica]) -> Vec<(String, String)> {
    let urls = Service::APART.map(|service| {
        let of = replicas.iter().filter_map(|replica| replica.address(service));
        let urls: Vec<String> = of.map(|address| format!("http://{address}")).collect();
        (format!("FK_{}_URL", service.name().to_uppercase()), urls.join(","))
    });
    urls.to_vec()
}

/// Makes the tables of these services; an error is what one of them said.
pub fn migrate(binaries: &Path, services: &[Service], settings: &[(String, String)]) -> Result<(), String> {
    for service in services.iter().filter(|service| service.owns_tables()) {
        let mut command = Command::new(binaries.join(service.name()));
        crate::service::dress(&mut command, settings);
        let done = command.arg("migrate").output().map_err(|error| error.to_string())?;
        if !done.status.success() {
            return Err(format!("{} migrate: {}", service.name(), String::from_utf8_lossy(&done.stderr)));
        }
    }
    Ok(())
}
