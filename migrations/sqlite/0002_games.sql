create table games (
    id blob primary key not null,
    variant text not null,
    status text not null check (status in ('running', 'finished', 'aborted')),
    -- Short key such as `300+3`; the whole of it beside it as JSON.
    time_control text not null,
    time_control_json text not null,
    is_rated boolean not null,
    created_at bigint not null,
    started_at bigint,
    ended_at bigint,
    reason text,
    result text,
    ply_count integer not null default 0,
    setup text not null,
    -- Lobbies and earlier games may be gone, so these are no foreign keys.
    lobby_id blob,
    rematch_of blob,
    statistics text,
    annulled_at bigint
);
-- Every list is ordered by (created_at, id), which never changes, so a page break stays where it was.
create index games_order on games (created_at, id);
create index games_status on games (status, created_at, id);
create index games_variant on games (variant, created_at, id);
create index games_reason on games (reason, created_at, id);
create index games_time_control on games (time_control, created_at, id);
create index games_rated on games (is_rated, created_at, id);
create index games_rematch on games (rematch_of) where rematch_of is not null;
create index games_variant_reason on games (variant, reason, created_at, id);
create index games_variant_time_control on games (variant, time_control, created_at, id);

create table game_players (
    game_id blob not null references games (id) on delete cascade,
    seat text not null,
    -- Absent for a bot that the host seated and that has no account.
    user_id blob references users (id),
    name text not null,
    is_bot boolean not null,
    bot_level text,
    placement integer,
    points double,
    result text check (result in ('win', 'draw', 'loss')),
    rating_before double,
    rating_after double,
    -- Copies of the game's columns, so that one index answers every list of one player.
    variant text not null,
    status text not null,
    reason text,
    is_rated boolean not null,
    time_control text not null,
    created_at bigint not null,
    primary key (game_id, seat),
    unique (game_id, user_id)
) without rowid;
create index game_players_user on game_players
    (user_id, created_at, game_id, variant, status, result, placement, reason, is_rated, time_control);

-- Rows lie in order of arrival: clustered by game, every append would dirty a page of its own.
-- No foreign key: the writer creates the game first, and a check for each event is paid for at every move.
create table game_events (
    id integer primary key,
    game_id blob not null,
    seq integer not null,
    user_id blob,
    command_id blob,
    at bigint not null,
    hash bigint not null,
    body text not null
);
-- The second writer of a game loses here.
create unique index game_events_seq on game_events (game_id, seq);
create unique index game_events_command on game_events (game_id, user_id, command_id)
    where command_id is not null;

create table chat_lines (
    id integer primary key,
    game_id blob not null references games (id) on delete cascade,
    user_id blob,
    at bigint not null,
    body text not null
);
create index chat_lines_game on chat_lines (game_id, id);
