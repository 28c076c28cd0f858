create table lobbies (
    id uuid primary key,
    -- The secret of an invitation link; absent when there is none.
    key text unique,
    is_public boolean not null,
    variant text not null,
    time_control text not null,
    is_rated boolean not null,
    host_id uuid not null references users (id),
    created_at bigint not null,
    snapshot text not null
);

create table lobby_seats (
    lobby_id uuid not null references lobbies (id) on delete cascade,
    seat text not null,
    user_id uuid references users (id),
    bot_level text,
    primary key (lobby_id, seat),
    unique (lobby_id, user_id)
);

-- One a player, whatever the number of sockets.
create table tickets (
    user_id uuid primary key references users (id) on delete cascade,
    id uuid not null unique,
    pool text not null,
    created_at bigint not null,
    body text not null
);
