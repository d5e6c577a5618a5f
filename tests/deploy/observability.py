"""Prometheus, Grafana and the collector: what they read must exist."""

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from facts import SERVICES
from tree import LOADER, ToolMissing, check, tool

WORDS = {"by", "without", "and", "or", "unless", "on", "ignoring", "offset", "bool", "group_left", "group_right"}
# Prometheus' own and the blackbox exporter's.
FOREIGN = {"up", "probe_success"}


def registry(tree):
    """Name → kind, from the table of docs/telemetry.md."""
    found = {}
    rows = re.findall(r"^\| (`[^|]+`) \| (counter|gauge|histogram) \|", tree.text("docs/telemetry.md"), re.M)
    for names, kind in rows:
        for name in re.findall(r"`(\w+)`", names):
            found[name] = kind
    return found


def metrics(expression):
    """The metrics a PromQL expression names."""
    text = re.sub(r'"[^"]*"', "", expression)
    text = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", text)
    text = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", text)
    return set(re.findall(r"\b([a-zA-Z_:][\w:]*)\b(?!\s*\()", text)) - WORDS


def unknown(tree, code, where, expression):
    known = registry(tree)
    for name in sorted(metrics(expression) - FOREIGN):
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        if known.get(base) == "histogram" and base != name:
            name = base
        elif name not in known or known[name] == "histogram":
            yield f"{where}: {name} is not in docs/telemetry.md"
            continue
        if f'"{name}"' not in code.sources_of_metrics:
            yield f"{where}: no code tells {name}"


def expressions(tree):
    for group in yaml.load(tree.text("deploy/prometheus/alerts.yml"), LOADER)["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
    for name, dashboard in tree.dashboards():
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                yield f"{name}, {panel['title']}", target["expr"]


@check
def rules_and_dashboards_name_real_metrics(tree, code):
    for where, expression in expressions(tree):
        yield from unknown(tree, code, where, expression)


@check
def everything_worth_an_alert_has_one(tree, code):
    told = re.search(r"Worth an alert:(.*?)\n\n", tree.text("docs/telemetry.md"), re.S)[1]
    names = {name for name in re.findall(r"`(\w+)[^`]*`", told)}
    rules = yaml.load(tree.text("deploy/prometheus/alerts.yml"), LOADER)["groups"]
    alerted = set().union(*(metrics(rule["expr"]) for group in rules for rule in group["rules"]))
    alerted |= {name.removesuffix("_bucket") for name in alerted}
    for name in sorted(names - alerted):
        yield f"{name} is worth an alert and has none"
    if "`/readyz`" in told and "probe_success" not in alerted:
        yield "/readyz is worth an alert and has none"


@check
def prometheus_finds_every_replica(tree, code):
    config = yaml.load(tree.text("deploy/prometheus/prometheus.yml"), LOADER)
    for job in config["scrape_configs"]:
        (asked,) = job["dns_sd_configs"]
        if sorted(asked["names"]) != SERVICES or asked["port"] != code.ops_port:
            yield f"{job['job_name']} reads {asked['names']} on {asked['port']}"
        path = job.get("metrics_path", "/metrics")
        told = {rule.get("replacement", "") for rule in job["relabel_configs"]}
        if job["job_name"] == "readyz":
            if not {"http://$1/readyz", "blackbox:9115"} <= told or "/readyz" not in code.ops_paths:
                yield f"readyz asks {told}"
        elif path not in code.ops_paths:
            yield f"{job['job_name']} reads {path}, which nothing answers"
    services = tree.compose["services"]
    if "blackbox" not in services:
        yield "there is no blackbox"


@check
def traces_and_dashboards_find_their_way(tree, code):
    services = tree.compose["services"]
    collector = yaml.load(tree.text("deploy/otel/config.yaml"), LOADER)
    port = collector["receivers"]["otlp"]["protocols"]["grpc"]["endpoint"].rsplit(":", 1)[1]
    example = re.search(r"OTEL_EXPORTER_OTLP_ENDPOINT=(\S+)", tree.text("deploy/compose.env.example"))
    sent = urlsplit(example[1])
    if sent.hostname not in services or str(sent.port) != port:
        yield f"traces are sent to {example[1]}, the collector listens on {port}"
    for name, exporter in collector["exporters"].items():
        if exporter["endpoint"].split(":")[0] not in services:
            yield f"the collector's {name} sends to {exporter['endpoint']}"
    for pipeline in collector["service"]["pipelines"].values():
        for part in ("receivers", "processors", "exporters"):
            for name in set(pipeline[part]) - set(collector[part]):
                yield f"the collector has no {name}"
    sources = yaml.load(tree.text("deploy/grafana/provisioning/datasources/datasources.yaml"), LOADER)["datasources"]
    for source in sources:
        if urlsplit(source["url"]).hostname not in services:
            yield f"Grafana reads {source['url']}"
    for name, dashboard in tree.dashboards():
        for panel in dashboard["panels"]:
            if panel["datasource"]["uid"] not in {source["uid"] for source in sources}:
                yield f"{name}: {panel['title']} reads {panel['datasource']['uid']}"


@check
def rules_hold_in_promtool(tree, code):
    promtool = os.environ.get("PROMTOOL", "")
    if not Path(promtool).is_file():
        raise ToolMissing("promtool, which is in Debian's package prometheus, could not be had")
    folder = tree.root / "deploy/prometheus"
    yield from tool(promtool, "check", "config", "prometheus.yml", cwd=folder)
    yield from tool(promtool, "test", "rules", "alerts.test.yml", cwd=folder)
