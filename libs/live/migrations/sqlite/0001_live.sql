-- Live games: their logs and what changes with them.
CREATE TABLE live_game (
    id          TEXT PRIMARY KEY,
    shard       INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    last_event  TEXT NOT NULL,
    status      INTEGER NOT NULL,
    visibility  INTEGER NOT NULL,
    invite_code TEXT,
    created     INTEGER NOT NULL,
    retire      INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX live_game_invite_code ON live_game (invite_code) WHERE invite_code IS NOT NULL;
CREATE INDEX live_game_listed ON live_game (status, visibility, created, id);
CREATE INDEX live_game_retire ON live_game (retire) WHERE retire IS NOT NULL;

CREATE TABLE live_event (
    game    TEXT NOT NULL REFERENCES live_game (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    command TEXT NOT NULL,
    body    BLOB NOT NULL,
    PRIMARY KEY (game, version)
) WITHOUT ROWID;

CREATE TABLE live_seat (
    player TEXT NOT NULL,
    game   TEXT NOT NULL REFERENCES live_game (id) ON DELETE CASCADE,
    PRIMARY KEY (player, game)
) WITHOUT ROWID;
CREATE INDEX live_seat_game ON live_seat (game);

CREATE TABLE live_deadline (
    game  TEXT PRIMARY KEY REFERENCES live_game (id) ON DELETE CASCADE,
    shard INTEGER NOT NULL,
    kind  INTEGER NOT NULL,
    ply   INTEGER NOT NULL,
    due   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX live_deadline_due ON live_deadline (due);

CREATE TABLE live_outbox (
    game     TEXT PRIMARY KEY REFERENCES live_game (id) ON DELETE CASCADE,
    shard    INTEGER NOT NULL,
    version  INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    due      INTEGER
) WITHOUT ROWID;
CREATE INDEX live_outbox_due ON live_outbox (due) WHERE due IS NOT NULL;

CREATE TABLE live_lease (
    kind   TEXT NOT NULL,
    shard  INTEGER NOT NULL,
    holder TEXT NOT NULL,
    until  INTEGER NOT NULL,
    PRIMARY KEY (kind, shard)
) WITHOUT ROWID;

-- Who takes part in the sharing, with or without a shard yet.
CREATE TABLE live_holder (
    kind   TEXT NOT NULL,
    holder TEXT NOT NULL,
    until  INTEGER NOT NULL,
    PRIMARY KEY (kind, holder)
) WITHOUT ROWID;

CREATE TABLE live_heartbeat (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    at   INTEGER NOT NULL
);

CREATE TABLE live_outage (
    id        TEXT PRIMARY KEY,
    from_time INTEGER NOT NULL,
    to_time   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX live_outage_to_time ON live_outage (to_time);
