-- The same uniqueness in another order: command ids made now lie side by side, so that the moves of all games share
-- a page of this index. By game, every move would dirty one of its own.
drop index game_events_command;
create unique index game_events_command on game_events (command_id, game_id, user_id) where command_id is not null;
