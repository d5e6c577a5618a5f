"""What a container of ours is told must be what the code reads; the same for Compose and Kubernetes."""

from urllib.parse import urlsplit

from facts import SERVICES


def wrong_command(code, where, command):
    if not command:
        yield f"{where}: no command, so it is not clear which service it runs"
        return
    if command[0] not in code.binaries:
        yield f"{where}: {command[0]} is no binary: services/{command[0]} has no src/main.rs"
    for word in command[1:]:
        if word not in code.subcommands:
            yield f"{where}: {command[0]} has no subcommand {word}"


def wrong_environment(code, where, service, task, values, hosts):
    """`values` are names → texts, None for what comes from elsewhere; `hosts` are names → services behind them."""
    for name, value in values.items():
        if name not in code.settings:
            yield f"{where}: nothing reads {name}"
        elif value is not None:
            yield from wrong_value(code, where, name, value, hosts)
    for one, other in code.required_together:
        if one in values and other not in values:
            yield f"{where}: {one} without {other} stops the start"
    needed = {"FK_REDIS_URL", "FK_DATABASE_URL"}
    if not task:
        needed |= {"FK_OPS_ADDR", "FK_HTTP_ADDR" if service == "gateway" else f"FK_{service.upper()}_ADDR"}
        needed |= {f"FK_{callee.upper()}_URL" for callee in code.calls[service]}
    for name in sorted(needed - set(values)):
        yield f"{where}: {name} is not set, its default is of no use here"


def wrong_value(code, where, name, value, hosts):
    if name.endswith("_ADDR"):
        if value != f"0.0.0.0:{code.port(name)}":
            yield f"{where}: {name} is {value}, expected 0.0.0.0:{code.port(name)}"
    elif name[3:-4].lower() in SERVICES and name.endswith("_URL"):
        callee, url = name[3:-4].lower(), urlsplit(value)
        if url.scheme != "http" or hosts.get(url.hostname) != callee:
            yield f"{where}: {name} is {value}, which is not where {callee} is"
        if url.port != code.grpc_ports[callee]:
            yield f"{where}: {name} has port {url.port}, {callee} listens on {code.grpc_ports[callee]}"
