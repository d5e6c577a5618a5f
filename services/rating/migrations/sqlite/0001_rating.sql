-- The first form: recorded games with seats, moves and logs, ratings with their history, closed tickets.
-- Times are Unix milliseconds, ids are UUIDs in their printed form; docs/analytics.md describes every column.

CREATE TABLE rating_record (
    game_id          TEXT    NOT NULL CONSTRAINT rating_record_key PRIMARY KEY,
    status           TEXT    NOT NULL CONSTRAINT rating_record_status CHECK (status IN ('over', 'aborted')),
    rated            INTEGER NOT NULL CONSTRAINT rating_record_rated CHECK (rated IN (0, 1)),
    visibility       TEXT    NOT NULL CONSTRAINT rating_record_visibility CHECK (visibility IN ('private', 'public')),
    time_control     TEXT    NOT NULL,
    class            TEXT    NOT NULL CONSTRAINT rating_record_class CHECK (class IN ('bullet', 'blitz', 'rapid')),
    plies            INTEGER NOT NULL,
    end_reason       TEXT    CONSTRAINT rating_record_end_reason
                             CHECK (end_reason IN ('last_player', 'repetition', 'fifty_moves', 'bare_kings')),
    abort_reason     TEXT    CONSTRAINT rating_record_abort_reason
                             CHECK (abort_reason IN ('no_first_move', 'maker_left', 'expired')),
    abort_player_id  TEXT,
    start_fen4       TEXT,
    rematch_of       TEXT,
    created_unix_ms  INTEGER NOT NULL,
    started_unix_ms  INTEGER,
    ended_unix_ms    INTEGER NOT NULL,
    recorded_unix_ms INTEGER NOT NULL,
    sequence         INTEGER,
    CONSTRAINT rating_record_sequence UNIQUE (class, sequence),
    CONSTRAINT rating_record_ending CHECK (
        (status = 'over' AND end_reason IS NOT NULL AND abort_reason IS NULL AND started_unix_ms IS NOT NULL)
        OR (status = 'aborted' AND end_reason IS NULL AND abort_reason IS NOT NULL)),
    CONSTRAINT rating_record_numbered CHECK ((sequence IS NOT NULL) = (rated = 1 AND status = 'over'))
) STRICT;
CREATE INDEX rating_record_newest ON rating_record (ended_unix_ms DESC, game_id DESC);
CREATE INDEX rating_record_aborts ON rating_record (abort_player_id, ended_unix_ms DESC)
    WHERE abort_player_id IS NOT NULL;

CREATE TABLE rating_record_seat (
    game_id       TEXT    NOT NULL CONSTRAINT rating_record_seat_game REFERENCES rating_record (game_id),
    seat          TEXT    NOT NULL CONSTRAINT rating_record_seat_seat
                          CHECK (seat IN ('red', 'blue', 'yellow', 'green')),
    turn          INTEGER NOT NULL CONSTRAINT rating_record_seat_turn CHECK (turn BETWEEN 0 AND 3),
    player_id     TEXT,
    player_name   TEXT,
    guest         INTEGER,
    shown_rating  REAL,
    provisional   INTEGER,
    army          TEXT    CONSTRAINT rating_record_seat_army
                          CHECK (army IN ('playing', 'resigned', 'timed_out', 'checkmated', 'stalemated',
                                          'king_captured')),
    points        INTEGER NOT NULL,
    result        INTEGER NOT NULL,
    place         INTEGER CONSTRAINT rating_record_seat_place CHECK (place BETWEEN 1 AND 4),
    rating_before REAL,
    rating_after  REAL,
    ended_unix_ms INTEGER NOT NULL,
    CONSTRAINT rating_record_seat_key PRIMARY KEY (game_id, turn),
    CONSTRAINT rating_record_seat_one_place UNIQUE (game_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_record_seat_player ON rating_record_seat (player_id, ended_unix_ms DESC, game_id DESC)
    WHERE player_id IS NOT NULL;

CREATE TABLE rating_move (
    game_id      TEXT    NOT NULL CONSTRAINT rating_move_game REFERENCES rating_record (game_id),
    ply          INTEGER NOT NULL,
    seat         TEXT    NOT NULL CONSTRAINT rating_move_seat CHECK (seat IN ('red', 'blue', 'yellow', 'green')),
    move         TEXT    NOT NULL,
    san          TEXT    NOT NULL,
    captured     TEXT,
    promoted     INTEGER NOT NULL,
    by_roaming   INTEGER NOT NULL,
    at_unix_ms   INTEGER NOT NULL,
    remaining_ms INTEGER NOT NULL,
    CONSTRAINT rating_move_key PRIMARY KEY (game_id, ply)
) STRICT, WITHOUT ROWID;

CREATE TABLE rating_log (
    game_id TEXT    NOT NULL CONSTRAINT rating_log_key PRIMARY KEY
                    CONSTRAINT rating_log_game REFERENCES rating_record (game_id),
    events  INTEGER NOT NULL,
    log     BLOB    NOT NULL
) STRICT;

CREATE TABLE rating_player (
    player_id TEXT    NOT NULL,
    class     TEXT    NOT NULL CONSTRAINT rating_player_class CHECK (class IN ('bullet', 'blitz', 'rapid')),
    rating    REAL    NOT NULL,
    games     INTEGER NOT NULL CONSTRAINT rating_player_games CHECK (games > 0),
    CONSTRAINT rating_player_key PRIMARY KEY (player_id, class)
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_player_best ON rating_player (class, rating DESC, player_id);
CREATE INDEX rating_player_best_settled ON rating_player (class, rating DESC, player_id) WHERE games >= 30;

CREATE TABLE rating_history (
    number        INTEGER NOT NULL CONSTRAINT rating_history_key PRIMARY KEY AUTOINCREMENT,
    player_id     TEXT    NOT NULL,
    class         TEXT    NOT NULL CONSTRAINT rating_history_class CHECK (class IN ('bullet', 'blitz', 'rapid')),
    sequence      INTEGER NOT NULL,
    game_id       TEXT    NOT NULL CONSTRAINT rating_history_game REFERENCES rating_record (game_id),
    place         INTEGER NOT NULL,
    games_before  INTEGER NOT NULL,
    rating_before REAL    NOT NULL,
    rating_after  REAL    NOT NULL,
    at_unix_ms    INTEGER NOT NULL,
    CONSTRAINT rating_history_once UNIQUE (game_id, player_id)
) STRICT;
CREATE INDEX rating_history_player ON rating_history (player_id, number DESC);
CREATE INDEX rating_history_player_class ON rating_history (player_id, class, number DESC);

CREATE TABLE rating_ticket (
    ticket_id      TEXT    NOT NULL CONSTRAINT rating_ticket_key PRIMARY KEY,
    player_id      TEXT    NOT NULL,
    time_control   TEXT    NOT NULL,
    class          TEXT    NOT NULL CONSTRAINT rating_ticket_class CHECK (class IN ('bullet', 'blitz', 'rapid')),
    rated          INTEGER NOT NULL,
    rating         REAL    NOT NULL,
    opened_unix_ms INTEGER NOT NULL,
    closed_unix_ms INTEGER NOT NULL,
    game_id        TEXT,
    outcome        TEXT    NOT NULL CONSTRAINT rating_ticket_outcome
                           CHECK (outcome IN ('matched', 'cancelled', 'expired', 'too_many_games')),
    CONSTRAINT rating_ticket_game CHECK ((game_id IS NOT NULL) = (outcome = 'matched'))
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_ticket_closed ON rating_ticket (closed_unix_ms);
