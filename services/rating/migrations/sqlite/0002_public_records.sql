-- Visitors list public games; without this index they would read past every private one.

CREATE INDEX rating_record_public ON rating_record (ended_unix_ms DESC, game_id DESC) WHERE visibility = 'public';
DROP INDEX rating_record_newest;
