"""docker-compose.yml, its settings file and the files it mounts."""

import re

from facts import MIGRATED, SERVICES, SPARE_SECONDS, STORES
from settings import wrong_command, wrong_environment
from tree import check, tool


@check
def compose_fits_the_specification(tree, code):
    file = str(tree.root / "docker-compose.yml")
    yield from tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", file)


@check
def compose_runs_what_the_code_has(tree, code):
    for name in SERVICES:
        if name not in tree.containers:
            yield f"{name} is missing"
    for name in MIGRATED:
        if tree.containers.get(f"migrate-{name}", {}).get("command") != [name, "migrate"]:
            yield f"nothing migrates {name}"
    hosts = {name: it["command"][0] for name, it in tree.containers.items() if len(it["command"]) == 1}
    for name, it in tree.containers.items():
        command = it["command"]
        if it["build"] != {"context": ".", "dockerfile": "deploy/Dockerfile"}:
            yield f"{name} is built from {it['build']}"
        yield from wrong_command(code, name, command)
        yield from wrong_environment(code, name, command[0], command[1:], it["environment"], hosts)


@check
def compose_waits_for_health(tree, code):
    services = tree.compose["services"]
    for name, it in tree.containers.items():
        task = len(it["command"]) > 1
        if task and it["healthcheck"] != {"disable": True}:
            yield f"{name} ends by itself, its health is its exit code"
        if not task and it["healthcheck"].get("test") != ["CMD", it["command"][0], "healthcheck"]:
            yield f"{name}: its health check is {it['healthcheck'].get('test')}"
        if not task and "healthcheck" not in code.subcommands:
            yield f"{name}: there is no subcommand healthcheck"
    waits = {
        name: {on: its["condition"] for on, its in services[name].get("depends_on", {}).items()} for name in tree.containers
    }
    for name in MIGRATED:
        if waits[name].get(f"migrate-{name}") != "service_completed_successfully":
            yield f"{name} does not wait for its migration"
        if waits[f"migrate-{name}"].get("postgres") != "service_healthy":
            yield f"migrate-{name} does not wait for postgres"
    for name, stores in STORES.items():
        if "redis" in stores and waits[name].get("redis") != "service_healthy":
            yield f"{name} does not wait for redis"
    for name in SERVICES:
        if name != "gateway" and waits["gateway"].get(name) != "service_healthy":
            yield f"gateway does not wait for {name}"
    for name, conditions in waits.items():
        for on, condition in conditions.items():
            if condition == "service_healthy" and "test" not in services[on].get("healthcheck", {}):
                yield f"{name} waits for the health of {on}, which has no check"


@check
def compose_containers_are_locked_down(tree, code):
    for name, it in tree.compose["services"].items():
        if it.get("read_only") is not True:
            yield f"{name} can write to its root file system"
        if it.get("cap_drop") != ["ALL"] or it.get("cap_add"):
            yield f"{name} has capabilities"
        if it.get("security_opt") != ["no-new-privileges:true"]:
            yield f"{name} may gain privileges"
        if it.get("privileged") or it.get("user", "999").split(":")[0] in ("0", "root"):
            yield f"{name} runs as root"
        if it["image"].partition(":")[2] in ("", "latest"):
            yield f"{name}: {it['image']} is not one release"
        if "container_name" in it:
            yield f"{name} has a fixed name and cannot be scaled"


@check
def compose_opens_only_the_gateway(tree, code):
    networks = tree.compose["networks"]
    if not networks["inside"].get("internal"):
        yield "the inner network is open"
    for name, it in tree.compose["services"].items():
        ports = it.get("ports", [])
        if name == "gateway":
            if [port.rsplit(":", 1)[1] for port in ports] != [str(code.http_port)]:
                yield f"gateway opens {ports}"
        elif ports:
            if it.get("profiles") != ["observability"] or not all(port.startswith("127.0.0.1:") for port in ports):
                yield f"{name} opens {ports}"
        elif it.get("networks") != ["inside"]:
            yield f"{name} is in the networks {it.get('networks')}"


@check
def compose_gives_time_to_drain(tree, code):
    needed = code.drain_seconds + SPARE_SECONDS
    for name, it in tree.containers.items():
        if int(it["stop_grace_period"].removesuffix("s")) < needed:
            yield f"{name} gets {it['stop_grace_period']} to stop, {needed}s are needed"


@check
def compose_settings_are_in_the_example(tree, code):
    lines = tree.text("deploy/compose.env.example").splitlines()
    example = dict(re.fullmatch(r"#?(\w+)=(.*)", line).groups() for line in lines if re.match(r"#?[A-Z_]+=", line))
    passed_on = {name for it in tree.containers.values() for name, value in it["environment"].items() if value is None}
    for name, default in tree.compose_settings.items():
        if example.get(name) != default:
            yield f"{name} is {default} without a file and {example.get(name)} in the example"
    for name in sorted(passed_on - set(example)):
        yield f"{name} is not in the example"
    for name in sorted(set(example) - passed_on - set(tree.compose_settings)):
        yield f"the example has {name}, which nothing uses"
    for bare in re.findall(r"\$\{\w+\}|\$\{\w+[^\w:}]", tree.text("docker-compose.yml")):
        yield f"{bare} has no default"


@check
def compose_mounts_what_is_there(tree, code):
    for name, it in tree.compose["services"].items():
        for volume in it.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                if not (tree.root / source).exists():
                    yield f"{name} mounts {source}, which is not there"
                if not volume.endswith(":ro"):
                    yield f"{name} can write to {source}"
            elif source not in tree.compose["volumes"]:
                yield f"{name} mounts the volume {source}, which is not declared"


@check
def compose_stores_lose_nothing(tree, code):
    redis = tree.compose["services"]["redis"]
    conf = tree.root / "deploy/redis/redis.conf"
    settings = dict(re.findall(r"^(\S+) +(.+?)\s*$", conf.read_text(), re.M)) if conf.exists() else {}
    words = redis["command"]
    settings |= {word[2:]: value for word, value in zip(words, words[1:]) if word.startswith("--")}
    yield from forgetful("redis", settings)
    if not any(volume.endswith(":" + settings.get("dir", "?")) for volume in redis["volumes"]):
        yield "redis keeps its log in no volume"
    postgres = tree.compose["services"]["postgres"]
    for word in ("fsync=off", "synchronous_commit=off", "full_page_writes=off"):
        if word in postgres["command"]:
            yield f"postgres has {word}"
    if not any("/var/lib/postgresql/data" in volume for volume in postgres["volumes"]):
        yield "postgres keeps its data in no volume"


def forgetful(where, settings):
    for name, value in (("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction")):
        if settings.get(name, "").strip('"') != value:
            yield f"{where} has {name} {settings.get(name)}, not {value}"
