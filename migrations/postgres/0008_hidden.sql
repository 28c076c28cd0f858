-- Until when spectators are not told that the game has ended; absent where they are told at once.
alter table games add column hidden_until bigint;
create index games_hidden on games (hidden_until) where hidden_until is not null;

-- Set while something is still to follow an ended game: a rematch that is asked for or agreed on and has not begun, or
-- the other game of its match.
alter table games add column follow_up_pending boolean;
create index games_follow_up_pending on games (id) where follow_up_pending;
