"""The Dockerfile and what Docker is sent to build it."""

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path

from facts import SERVICES
from tree import check, tool


@check
def the_dockerfile_is_clean(tree, code):
    yield from tool("hadolint", "--failure-threshold", "style", str(tree.root / "deploy/Dockerfile"))


@check
def the_image_holds_every_binary(tree, code):
    text = tree.text("deploy/Dockerfile")
    wanted = set(SERVICES) | {"standalone"}
    for what, found in (
        ("builds", set(re.findall(r"-p ([a-z]\w*)", text))),
        ("installs", set(re.findall(r"/target/release/(\w+)", text))),
        ("can take from the code", code.binaries),
    ):
        for name in sorted(wanted ^ found):
            yield f"the image {what} {name if name in found else 'no ' + name}"
    release = code.workspace[1]
    if f"FROM rust:{release}-" not in text:
        yield f"the image is not built by Rust {release}"


@check
def the_image_runs_without_root_and_knows_its_health(tree, code):
    final = tree.text("deploy/Dockerfile").rsplit("\nFROM ", 1)[1]
    user = re.search(r"^USER (\d+):(\d+)$", final, re.M)
    if not user or "0" in user.groups():
        yield "the image's user is not a number other than 0"
    for name, value in re.findall(r"(FK_\w+|OTEL_\w+)=(\S+)", final):
        if name not in code.settings:
            yield f"the image sets {name}, which nothing reads"
        elif name.endswith("_ADDR") and value != f"0.0.0.0:{code.port(name)}":
            yield f"the image sets {name} to {value}"
    health = re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", final, re.M)
    command = json.loads(health[1]) if health else []
    if command[1:] != ["healthcheck"] or command[0] not in code.binaries or "healthcheck" not in code.subcommands:
        yield f"the image's health check is {command}"
    if f"EXPOSE {code.http_port}" not in final:
        yield f"the image does not expose {code.http_port}"
    if re.search(r"(?i)\b(password|secret|token)\b\s*=", tree.text("deploy/Dockerfile")):
        yield "the image holds a secret"


@check
def docker_is_sent_what_cargo_reads_and_no_more(tree, code):
    patterns = [line for line in tree.text(".dockerignore").splitlines() if line and not line.startswith("#")]
    members = [path for glob in code.workspace[0] for path in code.root.glob(glob) if path.is_dir()]
    wanted = ["Cargo.toml", "Cargo.lock", "proto/fourkingdoms/game/v1/game.proto"]
    wanted += [str(path.relative_to(code.root) / "Cargo.toml") for path in members]
    # What sources include by a path outside their own crate.
    for source in code.root.glob("services/*/src/**/*.rs"):
        text = source.read_text()
        if f"#[cfg(test)]\nmod {source.stem};" in owner(source):
            continue
        for path in re.findall(r'include_(?:str|bytes)!\("((?:\.\./)+[^"]+)"\)', text.split("#[cfg(test)]")[0]):
            wanted.append(str((source.parent / path).resolve().relative_to(code.root.resolve())))
    folder = re.search(r'#\[folder = "../../([^"]+)"\]', code.text("services/gateway/src/web.rs"))
    wanted.append(f"{folder[1]}/index.html")
    for path in wanted:
        if ignored(path, patterns):
            yield f"Docker is not sent {path}, which the build reads"
    for path in (".git/config", "target/release/game", "data/four-kingdoms.db", "deploy/compose.env", "libs/live/.env"):
        if not ignored(path, patterns):
            yield f"Docker is sent {path}"


def owner(source):
    """The text of the module that declares a source file."""
    for path in (source.parent.with_suffix(".rs"), source.parent / "lib.rs"):
        if path.exists():
            return path.read_text()
    return ""


def ignored(path, patterns):
    """Docker's rule: the last pattern that matches the path or a folder above it decides."""
    parts = Path(path).parts
    above = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    out = False
    for pattern in patterns:
        keep, pattern = pattern.startswith("!"), pattern.lstrip("!")
        # `**/name` is a name at any depth; any other pattern matches as many folders as it names.
        name = pattern.removeprefix("**/")
        candidates = [Path(it).name for it in above] if name != pattern else above
        if any(fnmatchcase(it, name) and it.count("/") == name.count("/") for it in candidates):
            out = not keep
    return out
