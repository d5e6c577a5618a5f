"""The files that deploy the platform: the real ones, or a copy with one thing broken."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path

import yaml

# libyaml's, which is several times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
OVERLAYS = ("dev", "production")
CHECKS = {}


class ToolMissing(Exception):
    """A tool could not be had, so its check is skipped, and that is told."""


def check(function):
    """Registers a check: a function of a tree and the code that tells, one by one, what is wrong."""
    CHECKS[function.__name__] = function
    return function


def tool(*command, cwd=None):
    """Runs a tool; what it says if it fails, otherwise nothing."""
    ended = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if ended.returncode != 0:
        yield f"{command[0].rsplit('/', 1)[-1]}: {(ended.stdout + ended.stderr).strip()}"


class Tree:
    def __init__(self, root):
        self.root = Path(root)

    def text(self, path):
        return (self.root / path).read_text()

    @cached_property
    def compose_settings(self):
        """The variables of docker-compose.yml → their defaults."""
        return dict(re.findall(r"\$\{(\w+):-([^}]*)\}", self.text("docker-compose.yml")))

    @cached_property
    def compose(self):
        filled = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: found[2], self.text("docker-compose.yml"))
        return yaml.load(filled, LOADER)

    @property
    def containers(self):
        """Compose services that run our image."""
        return {name: it for name, it in self.compose["services"].items() if it["image"].startswith("four-kingdoms:")}

    @lru_cache(maxsize=None)  # noqa: B019 - a tree lives as long as its checks
    def objects(self, overlay):
        """What `kubectl apply -k` would send."""
        command = ["kubectl", "kustomize", str(self.root / "deploy/k8s/overlays" / overlay)]
        ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HOME": "/nonexistent"})
        if ended.returncode != 0:
            raise RuntimeError(f"{overlay}: {ended.stderr.strip()}")
        return [it for it in yaml.load_all(ended.stdout, LOADER) if it]

    def kind(self, overlay, *kinds):
        return {it["metadata"]["name"]: it for it in self.objects(overlay) if it["kind"] in kinds}

    def pods(self, overlay):
        """Name of each workload → its pod template."""
        return {
            name: it["spec"]["template"] for name, it in self.kind(overlay, "Deployment", "StatefulSet", "Job").items()
        }

    def dashboards(self):
        for path in sorted((self.root / "deploy/grafana/dashboards").glob("*.json")):
            yield path.name, json.loads(path.read_text())


@contextmanager
def altered(root, file, old, new):
    """A copy of what deploys the platform, with one thing changed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("deploy", "docs"):
            shutil.copytree(root / name, copy / name)
        for name in ("docker-compose.yml", ".dockerignore"):
            shutil.copy(root / name, copy / name)
        text = (copy / file).read_text()
        if old not in text:
            raise LookupError(f"{file} has no {old!r} any more")
        (copy / file).write_text(text.replace(old, new, 1))
        yield Tree(copy)
