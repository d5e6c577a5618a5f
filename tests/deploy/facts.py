"""What the code says about itself: settings, ports, binaries, who calls whom, metrics."""

import re
from functools import cached_property
from pathlib import Path

# ARCHITECTURE.md, "The shape". `the_code_calls_along_the_graph` keeps it true.
CALLS = {
    "gateway": {"game", "matchmaking", "rating"},
    "matchmaking": {"game", "rating"},
    "clock": {"game"},
    "game": {"rating"},
    "rating": set(),
}
# Who owns data where; `the_code_opens_these_stores` keeps it true.
STORES = {
    "gateway": {"redis", "postgres"},
    "game": {"redis"},
    "matchmaking": {"redis"},
    "rating": {"postgres"},
    "clock": {"redis"},
}
STORE_PORTS = {"redis": 6379, "postgres": 5432}
SERVICES = sorted(CALLS)
MIGRATED = ("rating", "gateway")
# The container's share of a stop that is not the drain itself.
SPARE_SECONDS = 5


class Code:
    def __init__(self, root):
        self.root = Path(root)

    def text(self, path):
        return (self.root / path).read_text()

    def sources(self, folder):
        """Every source file under `folder` but tests."""
        for path in sorted((self.root / folder).rglob("*.rs")):
            inside = path.relative_to(self.root / folder)
            if path.name != "tests.rs" and "tests" not in inside.parts:
                yield path.read_text()

    @cached_property
    def settings(self):
        """Name of each environment variable → its default, or None."""
        found = {}
        for attribute in re.findall(r"#\[arg\((.*?)\)\]", self.text("libs/runtime/src/environment.rs"), re.S):
            name = re.search(r'env = "(\w+)"', attribute)
            default = re.search(r'default_value = "([^"]*)"', attribute)
            if name:
                found[name[1]] = default[1] if default else None
        return found

    @cached_property
    def required_together(self):
        """Pairs (a, b): a start with a but without b is refused."""
        text = self.text("libs/runtime/src/environment.rs")
        pairs = set()
        for attribute in re.findall(r"#\[arg\((.*?)\)\]", text, re.S):
            name = re.search(r'env = "(\w+)"', attribute)
            for field in re.findall(r'requires = "(\w+)"', attribute):
                pairs.add((name[1], "FK_" + field.upper()))
        return pairs

    def port(self, setting):
        return int(self.settings[setting].rsplit(":", 1)[1])

    @cached_property
    def grpc_ports(self):
        return {name: self.port(f"FK_{name.upper()}_ADDR") for name in SERVICES if name != "gateway"}

    @property
    def http_port(self):
        return self.port("FK_HTTP_ADDR")

    @property
    def ops_port(self):
        return self.port("FK_OPS_ADDR")

    @cached_property
    def ops_paths(self):
        return set(re.findall(r'\.route\("(/\w+)"', self.text("libs/runtime/src/ops.rs")))

    @cached_property
    def binaries(self):
        """Packages under services/ with a main."""
        return {
            re.search(r'^name = "([\w-]+)"', (folder / "Cargo.toml").read_text(), re.M)[1]
            for folder in (self.root / "services").iterdir()
            if (folder / "src/main.rs").exists()
        }

    @cached_property
    def subcommands(self):
        tasks = re.search(r"enum Task \{(.*?)\n\}", self.text("libs/runtime/src/process.rs"), re.S)
        return {name.lower() for name in re.findall(r"^    (\w+),", tasks[1], re.M)} if tasks else set()

    @cached_property
    def drain_seconds(self):
        text = self.text("libs/runtime/src/process.rs")
        return int(re.search(r"DRAIN_LIMIT: Duration = Duration::from_secs\((\d+)\)", text)[1])

    @cached_property
    def calls(self):
        """Service → services whose gRPC client it uses."""
        found = {}
        for name in SERVICES:
            text = "\n".join(self.sources(f"services/{name}/src"))
            found[name] = set(re.findall(r"proto::\w+::v1::(\w+)_service_client", text)) - {name}
        return found

    @cached_property
    def opens(self):
        """Service → stores its main opens by their URLs."""
        signs = {"redis": r"\bredis_url\b", "postgres": r"\bdatabase_url\b|\bDatabases::"}
        texts = {name: "\n".join(self.sources(f"services/{name}/src")) for name in SERVICES}
        return {name: {store for store, sign in signs.items() if re.search(sign, text)} for name, text in texts.items()}

    @cached_property
    def sources_of_metrics(self):
        return "\n".join(text for folder in ("services", "libs") for text in self.sources(folder))

    @cached_property
    def workspace(self):
        """Folders that Cargo reads, as globs, and the Rust release."""
        text = self.text("Cargo.toml")
        members = re.findall(r'"([^"]+)"', re.search(r"^members = \[(.*?)\]", text, re.S | re.M)[1])
        return members, re.search(r'^rust-version = "([\d.]+)"', text, re.M)[1]
