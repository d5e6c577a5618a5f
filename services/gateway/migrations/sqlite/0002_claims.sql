-- A request under way holds its key for a moment at a time, so that its repeat waits for the answer.

alter table gateway_answer add column claimant text;
alter table gateway_answer add column claimed_until_ms integer not null default 0;
