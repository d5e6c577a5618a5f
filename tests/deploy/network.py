"""Who may talk to whom, worked out from the policies as a cluster would, against the graph of calls."""

from itertools import permutations

from facts import CALLS, STORE_PORTS, STORES
from kubernetes import containers, every_overlay
from tree import check

INGRESS, MONITORING, DNS = "ingress-nginx", "monitoring", "kube-system"


def chosen(selector, labels):
    assert set(selector) <= {"matchLabels"}, f"a selector the check cannot read: {selector}"
    return selector.get("matchLabels", {}).items() <= labels.items()


def allowed(policies, direction, labels):
    """What the policies let through for a pod: (peer, port); None if nothing restricts it."""
    mine = [it["spec"] for it in policies if chosen(it["spec"]["podSelector"], labels)]
    if not any(direction.capitalize() in it["policyTypes"] for it in mine):
        return None
    side = {"ingress": "from", "egress": "to"}[direction]
    return [
        (peer, port["port"])
        for it in mine
        for rule in it.get(direction, [])
        for peer in rule.get(side) or [None]
        for port in rule.get("ports") or [{"port": "any"}]
    ]


def lets(rules, labels, port):
    """Whether rules let a pod of the same namespace through."""
    return rules is None or any(
        number in (port, "any") and (peer is None or set(peer) == {"podSelector"} and chosen(peer["podSelector"], labels))
        for peer, number in rules
    )


@every_overlay
def pods_reach_each_other_along_the_graph(tree, code, overlay):
    policies = list(tree.kind(overlay, "NetworkPolicy").values())
    pods = {name: pod["metadata"]["labels"] for name, pod in tree.pods(overlay).items()}
    wanted = {(caller, callee, code.grpc_ports[callee]) for caller, callees in CALLS.items() for callee in callees}
    users = {**STORES, "migrate": {"postgres"}}
    wanted |= {(user, store, STORE_PORTS[store]) for user, stores in users.items() for store in stores if store in pods}
    rules = {(side, name): allowed(policies, side, pods[name]) for side in ("egress", "ingress") for name in pods}
    all_containers = [it for pod in tree.pods(overlay).values() for it in containers(pod)]
    ports = {port["containerPort"] for it in all_containers for port in it.get("ports", [])}
    # Each side for itself: either would do, and both must say the same.
    for direction, here, there in (("egress", 0, 1), ("ingress", 1, 0)):
        found = {
            (one, other, port)
            for one, other in permutations(pods, 2)
            for port in ports | {1}
            if lets(rules[direction, (one, other)[here]], pods[(one, other)[there]], port)
        }
        for one, other, port in sorted(wanted - found):
            yield f"{direction}: {one} cannot reach {other}:{port}"
        for one, other, port in sorted(found - wanted):
            yield f"{direction}: {one} can reach {other}:{port}"


@every_overlay
def pods_reach_the_outside_only_where_they_must(tree, code, overlay):
    policies = list(tree.kind(overlay, "NetworkPolicy").values())
    for name, pod in tree.pods(overlay).items():
        labels = pod["metadata"]["labels"]
        wanted = {(MONITORING, code.ops_port)} if name in CALLS else set()
        if name == "gateway":
            wanted.add((INGRESS, code.http_port))
        yield from differ(f"{name} from outside", wanted, outside(allowed(policies, "ingress", labels)))
        wanted = {(DNS, 53)}
        if overlay == "production":
            stores = {**STORES, "migrate": {"postgres"}}[name]
            wanted |= {("addresses", STORE_PORTS[store]) for store in stores}
            if name in CALLS:
                wanted.add((MONITORING, 4317))
        yield from differ(f"{name} to outside", wanted, outside(allowed(policies, "egress", labels)))


def outside(rules):
    if rules is None:
        return {("anywhere", "any")}
    found = set()
    for peer, port in rules:
        if peer is None:
            found.add(("anywhere", port))
        elif "ipBlock" in peer:
            found.add(("anywhere" if peer["ipBlock"]["cidr"] == "0.0.0.0/0" else "addresses", port))
        elif "namespaceSelector" in peer:
            labels = peer["namespaceSelector"].get("matchLabels", {})
            found.add((labels.get("kubernetes.io/metadata.name", "anywhere"), port))
    return found


def differ(what, wanted, found):
    for peer, port in sorted(wanted - found, key=str):
        yield f"{what}: {peer}:{port} is not allowed"
    for peer, port in sorted(found - wanted, key=str):
        yield f"{what}: {peer}:{port} is allowed"


@check
def the_code_calls_along_the_graph(tree, code):
    for name, callees in CALLS.items():
        if code.calls[name] != callees:
            yield f"{name} calls {sorted(code.calls[name])} in the code, {sorted(callees)} in the graph"
    shape = code.text("ARCHITECTURE.md")
    for name in CALLS:
        if name not in shape:
            yield f"ARCHITECTURE.md does not know {name}"


@check
def the_code_opens_these_stores(tree, code):
    for name, stores in STORES.items():
        for store in sorted(code.opens[name] - stores):
            yield f"{name} opens {store} in the code, and no policy lets it"
