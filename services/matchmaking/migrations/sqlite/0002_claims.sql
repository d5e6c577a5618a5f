-- Whoever makes the game of a four claims it for a while, so that one replica cannot give up a four while another makes its game.

ALTER TABLE matchmaking_match ADD COLUMN claimed_until_unix_ms INTEGER NOT NULL DEFAULT 0;
DROP INDEX matchmaking_match_unfinished;
CREATE INDEX matchmaking_match_unfinished ON matchmaking_match (claimed_until_unix_ms) WHERE created_unix_ms IS NULL;
