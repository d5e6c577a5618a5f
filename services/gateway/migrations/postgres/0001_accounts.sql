-- The first form, as in the SQLite file: who plays, the tokens they call with, the answers that repeated requests get again.
-- All of it is in the schema `gateway`; docs/analytics.md says what analysts read.

-- A guest has no password; names are unique without case among accounts only. Players are never deleted: `created_at`
-- and `upgraded_at` are the sign-up dates.
CREATE TABLE player (
    player_id   uuid        NOT NULL CONSTRAINT player_key PRIMARY KEY,
    name        text        NOT NULL CONSTRAINT player_name CHECK (name ~ '^[A-Za-z0-9_-]{3,20}$'),
    name_key    text        NOT NULL GENERATED ALWAYS AS (lower(name COLLATE "C")) STORED,
    password    text,
    created_at  timestamptz NOT NULL,
    upgraded_at timestamptz,
    CONSTRAINT player_upgraded CHECK (upgraded_at IS NULL OR password IS NOT NULL)
);
CREATE UNIQUE INDEX player_account_name ON player (name_key) WHERE password IS NOT NULL;
CREATE INDEX player_guest_name ON player (name_key) WHERE password IS NULL;
CREATE INDEX player_created ON player (created_at);

-- Tokens are stored as SHA-256 only. A revoked token is deleted.
CREATE TABLE token (
    token_id     uuid        NOT NULL CONSTRAINT token_key PRIMARY KEY,
    hash         bytea       NOT NULL CONSTRAINT token_hash UNIQUE
                             CONSTRAINT token_hash_length CHECK (octet_length(hash) = 32),
    player_id    uuid        NOT NULL CONSTRAINT token_player REFERENCES player (player_id),
    kind         text        NOT NULL CONSTRAINT token_kind CHECK (kind IN ('session', 'bot')),
    label        text,
    may_read     boolean     NOT NULL,
    may_play     boolean     NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    CONSTRAINT token_label CHECK ((label IS NOT NULL) = (kind = 'bot'))
);
CREATE INDEX token_bots ON token (player_id, created_at DESC, token_id DESC) WHERE kind = 'bot';
CREATE INDEX token_expiry ON token (expires_at);

-- One row an idempotency key; `status` and `body` stay empty until the first request was answered. Neither the key
-- nor a token is in it. Whoever works on the request holds the row until `claimed_until`, and goes on to hold it.
CREATE TABLE answer (
    key           bytea       NOT NULL CONSTRAINT answer_key PRIMARY KEY
                              CONSTRAINT answer_key_length CHECK (octet_length(key) = 32),
    fingerprint   bytea       NOT NULL CONSTRAINT answer_fingerprint CHECK (octet_length(fingerprint) = 32),
    seed          bytea       NOT NULL CONSTRAINT answer_seed CHECK (octet_length(seed) = 32),
    created_at    timestamptz NOT NULL,
    claimant      uuid        NOT NULL,
    claimed_until timestamptz NOT NULL,
    status        integer     CONSTRAINT answer_status CHECK (status BETWEEN 200 AND 599),
    body          text,
    CONSTRAINT answer_whole CHECK ((status IS NULL) = (body IS NULL))
);
CREATE INDEX answer_age ON answer (created_at);
