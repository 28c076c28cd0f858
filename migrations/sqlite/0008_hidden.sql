-- Until when spectators are not told that the game has ended; absent where they are told at once.
alter table games add column hidden_until bigint;
create index games_hidden on games (hidden_until) where hidden_until is not null;

-- Set while a finished game has an open question for a rematch, or one that was agreed on and has not begun.
alter table games add column rematch_pending boolean;
create index games_rematch_pending on games (id) where rematch_pending;
