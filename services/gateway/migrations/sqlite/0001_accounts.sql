-- Who plays: players, the tokens they call with, and the answers that repeated requests get again.

-- A guest has no password; names are unique without case among accounts only.
create table gateway_player (
    id text primary key not null,
    name text not null,
    name_key text not null,
    password text,
    created_ms integer not null,
    upgraded_ms integer
) strict;

create unique index gateway_player_account_name on gateway_player (name_key) where password is not null;
create index gateway_player_guest_name on gateway_player (name_key) where password is null;

-- Tokens are stored as SHA-256 only. A revoked token is deleted.
create table gateway_token (
    id text primary key not null,
    hash blob not null constraint gateway_token_hash unique,
    player_id text not null constraint gateway_token_player references gateway_player (id),
    kind text not null constraint gateway_token_kind check (kind in ('session', 'bot')),
    label text,
    scopes text not null,
    created_ms integer not null,
    last_used_ms integer not null,
    expires_ms integer not null
) strict;

create index gateway_token_by_player on gateway_token (player_id, created_ms);
create index gateway_token_by_expiry on gateway_token (expires_ms);

-- One row an idempotency key; `status` and `answer` stay empty until the first request was answered. Neither the
-- key nor a token is in it.
create table gateway_answer (
    key blob primary key not null,
    fingerprint blob not null,
    seed blob not null,
    created_ms integer not null,
    status integer,
    answer text
) strict;

create index gateway_answer_by_age on gateway_answer (created_ms);
