-- The first form, as in the SQLite file: recorded games with seats, moves and logs, ratings with their history, closed tickets.
-- All of it is in the schema `rating`; docs/analytics.md describes every column.

CREATE TABLE record (
    game_id         uuid        NOT NULL CONSTRAINT record_key PRIMARY KEY,
    status          text        NOT NULL CONSTRAINT record_status CHECK (status IN ('over', 'aborted')),
    rated           boolean     NOT NULL,
    visibility      text        NOT NULL CONSTRAINT record_visibility CHECK (visibility IN ('private', 'public')),
    time_control    text        NOT NULL,
    class           text        NOT NULL CONSTRAINT record_class CHECK (class IN ('bullet', 'blitz', 'rapid')),
    plies           integer     NOT NULL CONSTRAINT record_plies CHECK (plies >= 0),
    end_reason      text        CONSTRAINT record_end_reason
                                CHECK (end_reason IN ('last_player', 'repetition', 'fifty_moves', 'bare_kings')),
    abort_reason    text        CONSTRAINT record_abort_reason
                                CHECK (abort_reason IN ('no_first_move', 'maker_left', 'expired')),
    abort_player_id uuid,
    start_fen4      text,
    rematch_of      uuid,
    created_at      timestamptz NOT NULL,
    started_at      timestamptz,
    ended_at        timestamptz NOT NULL,
    recorded_at     timestamptz NOT NULL,
    sequence        bigint,
    CONSTRAINT record_sequence UNIQUE (class, sequence),
    CONSTRAINT record_ending CHECK (
        (status = 'over' AND end_reason IS NOT NULL AND abort_reason IS NULL AND started_at IS NOT NULL)
        OR (status = 'aborted' AND end_reason IS NULL AND abort_reason IS NOT NULL)),
    CONSTRAINT record_numbered CHECK ((sequence IS NOT NULL) = (rated AND status = 'over'))
);
CREATE INDEX record_public ON record (ended_at DESC, game_id DESC) WHERE visibility = 'public';
CREATE INDEX record_aborts ON record (abort_player_id, ended_at DESC) WHERE abort_player_id IS NOT NULL;

-- The last number given in each class. Whoever rates a game holds the row until the end, so numbers have no gaps.
CREATE TABLE numbering (
    class text   NOT NULL CONSTRAINT numbering_key PRIMARY KEY
                 CONSTRAINT numbering_class CHECK (class IN ('bullet', 'blitz', 'rapid')),
    last  bigint NOT NULL CONSTRAINT numbering_last CHECK (last >= 0)
);
INSERT INTO numbering (class, last) VALUES ('bullet', 0), ('blitz', 0), ('rapid', 0);

CREATE TABLE record_seat (
    game_id       uuid             NOT NULL CONSTRAINT record_seat_game REFERENCES record (game_id),
    seat          text             NOT NULL CONSTRAINT record_seat_seat
                                   CHECK (seat IN ('red', 'blue', 'yellow', 'green')),
    turn          integer          NOT NULL CONSTRAINT record_seat_turn CHECK (turn BETWEEN 0 AND 3),
    player_id     uuid,
    player_name   text,
    guest         boolean,
    shown_rating  double precision,
    provisional   boolean,
    army          text             CONSTRAINT record_seat_army
                                   CHECK (army IN ('playing', 'resigned', 'timed_out', 'checkmated', 'stalemated',
                                                   'king_captured')),
    points        integer          NOT NULL,
    result        integer          NOT NULL,
    place         integer          CONSTRAINT record_seat_place CHECK (place BETWEEN 1 AND 4),
    rating_before double precision,
    rating_after  double precision,
    ended_at      timestamptz      NOT NULL,
    CONSTRAINT record_seat_key PRIMARY KEY (game_id, turn),
    CONSTRAINT record_seat_one_place UNIQUE (game_id, place)
);
CREATE INDEX record_seat_player ON record_seat (player_id, ended_at DESC, game_id DESC) WHERE player_id IS NOT NULL;

CREATE TABLE move (
    game_id      uuid        NOT NULL CONSTRAINT move_game REFERENCES record (game_id),
    ply          integer     NOT NULL CONSTRAINT move_ply CHECK (ply > 0),
    seat         text        NOT NULL CONSTRAINT move_seat CHECK (seat IN ('red', 'blue', 'yellow', 'green')),
    move         text        NOT NULL,
    san          text        NOT NULL,
    captured     text,
    promoted     boolean     NOT NULL,
    by_roaming   boolean     NOT NULL,
    made_at      timestamptz NOT NULL,
    remaining_ms bigint      NOT NULL,
    CONSTRAINT move_key PRIMARY KEY (game_id, ply)
);

CREATE TABLE log (
    game_id uuid    NOT NULL CONSTRAINT log_key PRIMARY KEY CONSTRAINT log_game REFERENCES record (game_id),
    events  integer NOT NULL,
    log     bytea   NOT NULL
);

-- A player new to a class has a row with no games only while the first one is being rated.
CREATE TABLE player (
    player_id uuid             NOT NULL,
    class     text             NOT NULL CONSTRAINT player_class CHECK (class IN ('bullet', 'blitz', 'rapid')),
    rating    double precision NOT NULL,
    games     integer          NOT NULL CONSTRAINT player_games CHECK (games >= 0),
    CONSTRAINT player_key PRIMARY KEY (player_id, class)
);
CREATE INDEX player_best ON player (class, rating DESC, player_id);
CREATE INDEX player_best_settled ON player (class, rating DESC, player_id) WHERE games >= 30;

CREATE TABLE history (
    number        bigint           NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT history_key PRIMARY KEY,
    player_id     uuid             NOT NULL,
    class         text             NOT NULL CONSTRAINT history_class CHECK (class IN ('bullet', 'blitz', 'rapid')),
    sequence      bigint           NOT NULL,
    game_id       uuid             NOT NULL CONSTRAINT history_game REFERENCES record (game_id),
    place         integer          NOT NULL CONSTRAINT history_place CHECK (place BETWEEN 1 AND 4),
    games_before  integer          NOT NULL,
    rating_before double precision NOT NULL,
    rating_after  double precision NOT NULL,
    ended_at      timestamptz      NOT NULL,
    CONSTRAINT history_once UNIQUE (game_id, player_id)
);
CREATE INDEX history_player ON history (player_id, number DESC);
CREATE INDEX history_player_class ON history (player_id, class, number DESC);

CREATE TABLE ticket (
    ticket_id    uuid             NOT NULL CONSTRAINT ticket_key PRIMARY KEY,
    player_id    uuid             NOT NULL,
    time_control text             NOT NULL,
    class        text             NOT NULL CONSTRAINT ticket_class CHECK (class IN ('bullet', 'blitz', 'rapid')),
    rated        boolean          NOT NULL,
    rating       double precision NOT NULL,
    opened_at    timestamptz      NOT NULL,
    closed_at    timestamptz      NOT NULL,
    game_id      uuid,
    outcome      text             NOT NULL CONSTRAINT ticket_outcome
                                  CHECK (outcome IN ('matched', 'cancelled', 'expired', 'too_many_games')),
    CONSTRAINT ticket_game CHECK ((game_id IS NOT NULL) = (outcome = 'matched'))
);
CREATE INDEX ticket_closed ON ticket (closed_at);
