-- The first form: tickets, and the fours formed of them. A four without `created_unix_ms` still needs its game.
-- Times are Unix milliseconds, ids are UUIDs in their printed form.

CREATE TABLE matchmaking_match (
    game_id         TEXT    NOT NULL CONSTRAINT matchmaking_match_key PRIMARY KEY,
    time_control    TEXT    NOT NULL,
    rated           INTEGER NOT NULL CONSTRAINT matchmaking_match_rated CHECK (rated IN (0, 1)),
    formed_unix_ms  INTEGER NOT NULL,
    created_unix_ms INTEGER
) STRICT;
CREATE INDEX matchmaking_match_unfinished ON matchmaking_match (formed_unix_ms) WHERE created_unix_ms IS NULL;

CREATE TABLE matchmaking_ticket (
    ticket_id          TEXT    NOT NULL CONSTRAINT matchmaking_ticket_key PRIMARY KEY,
    player_id          TEXT    NOT NULL,
    player_name        TEXT    NOT NULL,
    guest              INTEGER NOT NULL,
    rating             REAL    NOT NULL,
    provisional        INTEGER NOT NULL,
    time_control       TEXT    NOT NULL,
    rated              INTEGER NOT NULL CONSTRAINT matchmaking_ticket_rated CHECK (rated IN (0, 1)),
    status             TEXT    NOT NULL CONSTRAINT matchmaking_ticket_status
                               CHECK (status IN ('waiting', 'forming', 'matched', 'cancelled')),
    reason             TEXT    CONSTRAINT matchmaking_ticket_reason
                               CHECK (reason IN ('player', 'expired', 'too_many_games')),
    game_id            TEXT    CONSTRAINT matchmaking_ticket_game REFERENCES matchmaking_match (game_id),
    seat               TEXT    CONSTRAINT matchmaking_ticket_seat CHECK (seat IN ('red', 'blue', 'yellow', 'green')),
    opened_unix_ms     INTEGER NOT NULL,
    asked_unix_ms      INTEGER NOT NULL,
    hold_until_unix_ms INTEGER NOT NULL DEFAULT 0,
    closed_unix_ms     INTEGER,
    reported           INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT matchmaking_ticket_seated CHECK ((game_id IS NOT NULL) = (status IN ('forming', 'matched'))
        AND (seat IS NOT NULL) = (game_id IS NOT NULL)),
    CONSTRAINT matchmaking_ticket_closed CHECK ((closed_unix_ms IS NOT NULL) = (status IN ('matched', 'cancelled'))
        AND (reason IS NOT NULL) = (status = 'cancelled')),
    CONSTRAINT matchmaking_ticket_seat_once UNIQUE (game_id, seat)
) STRICT;
CREATE UNIQUE INDEX matchmaking_ticket_one_open ON matchmaking_ticket (player_id)
    WHERE status IN ('waiting', 'forming');
CREATE INDEX matchmaking_ticket_pool ON matchmaking_ticket (time_control, rated, opened_unix_ms, ticket_id)
    WHERE status = 'waiting';
CREATE INDEX matchmaking_ticket_asked ON matchmaking_ticket (asked_unix_ms) WHERE status = 'waiting';
CREATE INDEX matchmaking_ticket_newest ON matchmaking_ticket (player_id, opened_unix_ms DESC, ticket_id DESC);
CREATE INDEX matchmaking_ticket_unreported ON matchmaking_ticket (closed_unix_ms)
    WHERE reported = 0 AND closed_unix_ms IS NOT NULL;
CREATE INDEX matchmaking_ticket_reported ON matchmaking_ticket (closed_unix_ms) WHERE reported = 1;
