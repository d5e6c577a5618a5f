"""Mistakes somebody will make one day, and the check that must notice each."""

from dataclasses import dataclass

COMPOSE, DOCKERFILE = "docker-compose.yml", "deploy/Dockerfile"
BASE, DEV, PRODUCTION = "deploy/k8s/base/", "deploy/k8s/overlays/dev/", "deploy/k8s/overlays/production/"
ALERTS = "deploy/prometheus/alerts.yml"
READINESS = """- op: add
  path: /spec/template/spec/containers/0/readinessProbe
  value:
    httpGet: { path: /readyz, port: ops }
    periodSeconds: 2
    timeoutSeconds: 2
    failureThreshold: 1
"""


@dataclass(frozen=True)
class Mutation:
    title: str
    check: str
    file: str
    old: str
    new: str


MUTATIONS = [
    Mutation(*it)
    for it in [
        # the image
        ("cd in a RUN", "the_dockerfile_is_clean", DOCKERFILE, "COPY . .", "COPY . .\nRUN cd /src && ls"),
        ("a binary not copied", "the_image_holds_every_binary", DOCKERFILE, "        /target/release/clock \\\n", ""),
        ("a binary not built", "the_image_holds_every_binary", DOCKERFILE, " -p rating", ""),
        ("another Rust", "the_image_holds_every_binary", DOCKERFILE, "rust:1.95-", "rust:1.90-"),
        ("root in the image", "the_image_runs_without_root_and_knows_its_health", DOCKERFILE, "USER 65532:65532", "USER root"),
        ("a health check by curl", "the_image_runs_without_root_and_knows_its_health", DOCKERFILE, '["standalone", "healthcheck"]', '["curl", "-f"]'),
        ("a setting nobody reads in the image", "the_image_runs_without_root_and_knows_its_health", DOCKERFILE, "FK_DATA_DIR", "FK_DATA_PATH"),
        ("the page not sent to Docker", "docker_is_sent_what_cargo_reads_and_no_more", ".dockerignore", "!clients/web\n", ""),
        ("everything sent to Docker", "docker_is_sent_what_cargo_reads_and_no_more", ".dockerignore", "*\n", "\n"),
        # compose
        ("an unknown key", "compose_fits_the_specification", COMPOSE, "    command: [game]", "    comand: [game]"),
        ("a setting misspelt", "compose_runs_what_the_code_has", COMPOSE, "FK_GAME_URL", "FK_GAMES_URL"),
        ("a wrong port in a URL", "compose_runs_what_the_code_has", COMPOSE, "http://rating:7003", "http://rating:7002"),
        ("a URL to another service", "compose_runs_what_the_code_has", COMPOSE, "http://rating:7003", "http://game:7003"),
        ("a wrong port to listen on", "compose_runs_what_the_code_has", COMPOSE, "FK_CLOCK_ADDR: 0.0.0.0:7004", "FK_CLOCK_ADDR: 0.0.0.0:7001"),
        ("listening to itself only", "compose_runs_what_the_code_has", COMPOSE, "FK_GAME_ADDR: 0.0.0.0", "FK_GAME_ADDR: 127.0.0.1"),
        ("Redis without a database", "compose_runs_what_the_code_has", COMPOSE, "FK_DATABASE_URL", "FK_CORS_ORIGINS"),
        ("a service that is not built", "compose_runs_what_the_code_has", COMPOSE, "command: [clock]", "command: [clocks]"),
        ("an unknown subcommand", "compose_runs_what_the_code_has", COMPOSE, "[rating, migrate]", "[rating, migration]"),
        ("another Dockerfile", "compose_runs_what_the_code_has", COMPOSE, "dockerfile: deploy/Dockerfile", "dockerfile: Dockerfile"),
        ("another service's health", "compose_waits_for_health", COMPOSE, "[CMD, game, healthcheck]", "[CMD, clock, healthcheck]"),
        ("health asked of curl", "compose_waits_for_health", COMPOSE, "[CMD, game, healthcheck]", "[CMD, curl, -f, 'http://localhost:9090/readyz']"),
        ("no wait for the migration", "compose_waits_for_health", COMPOSE, "      migrate-rating: { condition: service_completed_successfully }", "      postgres: { condition: service_healthy }"),
        ("no wait for the clock", "compose_waits_for_health", COMPOSE, "      clock: { condition: service_healthy }", "      clock: { condition: service_started }"),
        ("a writable root", "compose_containers_are_locked_down", COMPOSE, "read_only: true", "read_only: false"),
        ("an image without release", "compose_containers_are_locked_down", COMPOSE, "postgres:15-bookworm", "postgres"),
        ("a fixed name", "compose_containers_are_locked_down", COMPOSE, "    command: [game]", "    container_name: game\n    command: [game]"),
        ("a second door", "compose_opens_only_the_gateway", COMPOSE, "    command: [game]", "    ports: ['7001:7001']\n    command: [game]"),
        ("Grafana for everybody", "compose_opens_only_the_gateway", COMPOSE, "127.0.0.1:${GRAFANA_PORT", "${GRAFANA_PORT"),
        ("an inner network with a way out", "compose_opens_only_the_gateway", COMPOSE, "internal: true", "internal: false"),
        ("too little time to drain", "compose_gives_time_to_drain", COMPOSE, "stop_grace_period: 25s", "stop_grace_period: 10s"),
        ("a default that differs from the example", "compose_settings_are_in_the_example", COMPOSE, "GATEWAY_PORT:-8080", "GATEWAY_PORT:-80"),
        ("a setting missing in the example", "compose_settings_are_in_the_example", "deploy/compose.env.example", "#FK_LIMITS=off\n", ""),
        ("a mounted file that is gone", "compose_mounts_what_is_there", COMPOSE, "deploy/otel/config.yaml", "deploy/otel/otel.yaml"),
        ("a log synced once a second", "compose_stores_lose_nothing", "deploy/redis/redis.conf", "appendfsync always", "appendfsync everysec"),
        ("a database that forgets", "compose_stores_lose_nothing", COMPOSE, "max_connections=200]", "fsync=off]"),
        # Kubernetes
        ("an unknown field", "manifests_fit_the_schemas", BASE + "game.yaml", "          command: [game]", "          comand: [game]"),
        ("an unknown kind", "manifests_fit_the_schemas", BASE + "network.yaml", "kind: NetworkPolicy", "kind: NetworkPolicies"),
        ("a setting misspelt in a manifest", "pods_are_told_what_the_code_reads", BASE + "game.yaml", "FK_GAME_ADDR", "FK_GAMES_ADDR"),
        ("a wrong port in a manifest", "pods_are_told_what_the_code_reads", BASE + "game.yaml", "0.0.0.0:7001", "0.0.0.0:7101"),
        ("a wrong URL in a manifest", "pods_are_told_what_the_code_reads", BASE + "kustomization.yaml", "http://rating:7003", "http://ratings:7003"),
        ("a setting left out", "pods_are_told_what_the_code_reads", BASE + "kustomization.yaml", "      - FK_GAME_URL=http://game:7001\n", ""),
        ("another image", "pods_are_told_what_the_code_reads", BASE + "game.yaml", "image: four-kingdoms", "image: four-kingdom"),
        ("a secret nobody makes", "pods_are_told_what_the_code_reads", BASE + "pod.yaml", "key: redis-url", "key: redis"),
        ("an unknown subcommand in a manifest", "pods_are_told_what_the_code_reads", BASE + "migrate.yaml", "[gateway, migrate]", "[gateway, upgrade]"),
        ("a wrong service port", "services_lead_to_open_ports", BASE + "rating.yaml", "port: 7003, targetPort", "port: 7002, targetPort"),
        ("a wrong container port", "services_lead_to_open_ports", BASE + "rating.yaml", "containerPort: 7003", "containerPort: 7002"),
        ("a service that chooses nothing", "services_lead_to_open_ports", BASE + "clock.yaml", "  selector:\n    app.kubernetes.io/name: clock", "  selector:\n    app.kubernetes.io/name: clocks"),
        ("replicas hidden behind one address", "services_lead_to_open_ports", BASE + "game.yaml", "  clusterIP: None\n", ""),
        ("a name emptied by a moment without Redis", "services_lead_to_open_ports", BASE + "game.yaml", "  publishNotReadyAddresses: true\n", ""),
        ("metrics read elsewhere", "services_lead_to_open_ports", BASE + "pod.yaml", 'prometheus.io/port: "9090"', 'prometheus.io/port: "9091"'),
        ("an ingress past the gateway", "services_lead_to_open_ports", PRODUCTION + "ingress.yaml", "                name: gateway", "                name: game"),
        ("no readiness probe", "pods_are_probed_where_the_code_answers", BASE + "pod.yaml", READINESS, ""),
        ("liveness by readiness", "pods_are_probed_where_the_code_answers", BASE + "pod.yaml", "httpGet: { path: /healthz, port: ops }\n    periodSeconds: 10", "httpGet: { path: /readyz, port: ops }\n    periodSeconds: 10"),
        ("too little grace", "pods_get_time_to_drain", BASE + "pod.yaml", "value: 30", "value: 20"),
        ("no pause before the stop", "pods_get_time_to_drain", BASE + "pod.yaml", "sleep: { seconds: 5 }", "sleep: { seconds: 0 }"),
        ("a root file system to write to", "pods_are_locked_down", BASE + "pod.yaml", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"),
        ("a token of the cluster", "pods_are_locked_down", BASE + "pod.yaml", "automountServiceAccountToken\n  value: false", "automountServiceAccountToken\n  value: true"),
        ("a job that may run as root", "pods_are_locked_down", BASE + "migrate.yaml", "runAsNonRoot: true", "runAsNonRoot: false"),
        ("no limit of memory", "pods_are_locked_down", BASE + "game.yaml", "            limits: { memory: 1Gi }\n", ""),
        ("the newest image, whatever it is", "pods_are_locked_down", PRODUCTION + "kustomization.yaml", "newTag: 0.1.0", "newTag: latest"),
        ("one replica", "replicas_outlive_a_node", BASE + "clock.yaml", "replicas: 2", "replicas: 1"),
        ("a roll faster than DNS", "replicas_outlive_a_node", BASE + "pod.yaml", "value: 35", "value: 5"),
        ("a budget for nobody", "replicas_outlive_a_node", BASE + "game.yaml", "  maxUnavailable: 1\n  unhealthyPodEvictionPolicy: AlwaysAllow\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: game", "  maxUnavailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/name: games"),
        ("a scaler of something else", "replicas_outlive_a_node", BASE + "rating.yaml", "kind: Deployment, name: rating", "kind: Deployment, name: game"),
        ("an owner that is not migrated", "the_migration_runs_for_every_owner", BASE + "migrate.yaml", "[gateway, migrate]", "[rating, migrate]"),
        ("an upgrade that misses the account", "the_migration_runs_for_every_owner", BASE + "migrate.yaml", "  labels:\n    app.kubernetes.io/component: migration\nautomount", "automount"),
        ("the gateway waking games", "pods_reach_each_other_along_the_graph", BASE + "gateway.yaml", "app.kubernetes.io/name: rating } }\n      ports:\n        - { protocol: TCP, port: 7003 }", "app.kubernetes.io/name: clock } }\n      ports:\n        - { protocol: TCP, port: 7004 }"),
        ("a call the policy forgot", "pods_reach_each_other_along_the_graph", BASE + "game.yaml", "        - podSelector: { matchLabels: { app.kubernetes.io/name: clock } }\n", ""),
        ("a call on another port", "pods_reach_each_other_along_the_graph", BASE + "game.yaml", "        - { protocol: TCP, port: 7001 }", "        - { protocol: TCP, port: 7002 }"),
        ("no default of denying", "pods_reach_each_other_along_the_graph", BASE + "network.yaml", "podSelector: {}\n  policyTypes: [Ingress, Egress]", "podSelector: { matchLabels: { nobody: here } }\n  policyTypes: [Ingress, Egress]"),
        ("the clock reading accounts", "pods_reach_each_other_along_the_graph", BASE + "clock.yaml", '        four-kingdoms/redis: "true"', '        four-kingdoms/redis: "true"\n        four-kingdoms/postgres: "true"'),
        ("game open to the ingress", "pods_reach_the_outside_only_where_they_must", BASE + "gateway.yaml", "    matchLabels: { app.kubernetes.io/name: gateway }\n  policyTypes", "    matchLabels: { app.kubernetes.io/component: service }\n  policyTypes"),
        ("stores anywhere on earth", "pods_reach_the_outside_only_where_they_must", PRODUCTION + "stores.yaml", "10.0.0.0/8", "0.0.0.0/0"),
        ("metrics for every namespace", "pods_reach_the_outside_only_where_they_must", BASE + "network.yaml", "        - namespaceSelector:\n            matchLabels: { kubernetes.io/metadata.name: monitoring }", "        - namespaceSelector: {}"),
        ("Redis that evicts", "stores_are_in_the_dev_overlay_only_and_lose_nothing", DEV + "redis.yaml", "noeviction", "allkeys-lru"),
        ("a password in production", "stores_are_in_the_dev_overlay_only_and_lose_nothing", PRODUCTION + "kustomization.yaml", "resources:", "secretGenerator:\n  - name: stores\n    literals: [redis-url=x, database-url=x]\nresources:"),
        ("a certificate mounted elsewhere", "mutual_tls_is_one_line_away", "deploy/k8s/components/mutual-tls/kustomization.yaml", "mountPath: /etc/four-kingdoms/tls", "mountPath: /etc/tls"),
        ("a TLS setting misspelt", "mutual_tls_is_one_line_away", "deploy/k8s/components/mutual-tls/kustomization.yaml", "FK_TLS_CERT", "FK_TLS_CRT"),
        # observability
        ("a metric misspelt in a rule", "rules_and_dashboards_name_real_metrics", ALERTS, "max(game_outbox_parked)", "max(game_outbox_parking)"),
        ("a metric misspelt in a panel", "rules_and_dashboards_name_real_metrics", "deploy/grafana/dashboards/four-kingdoms.json", "sum(game_running)", "sum(games_running)"),
        ("a histogram read like a gauge", "rules_and_dashboards_name_real_metrics", ALERTS, "clock_deadline_lateness_seconds_bucket", "clock_deadline_lateness_seconds"),
        ("an alert left out", "everything_worth_an_alert_has_one", ALERTS, "max(game_outbox_parked) > 0", "up == 0"),
        ("a service Prometheus forgets", "prometheus_finds_every_replica", "deploy/prometheus/prometheus.yml", "matchmaking, ", ""),
        ("a port nobody is at", "prometheus_finds_every_replica", "deploy/prometheus/prometheus.yml", "port: 9090", "port: 9091"),
        ("traces sent elsewhere", "traces_and_dashboards_find_their_way", "deploy/otel/config.yaml", "jaeger:4317", "tempo:4317"),
        ("a rule that never fires", "rules_hold_in_promtool", ALERTS, "> 0.1", "> 100"),
        ("a rule that does not parse", "rules_hold_in_promtool", ALERTS, "increase(", "increases("),
        # words
        ("a file that moved", "the_documentation_names_what_is_there", "docs/deploying.md", "deploy/compose.env.example", "deploy/example.env"),
        ("a setting that never was", "the_documentation_names_what_is_there", "docs/deploying.md", "FK_TRUSTED_PROXIES", "FK_TRUSTED_PROXY"),
    ]
]
