create table mutes (
    user_id blob not null references users (id) on delete cascade,
    muted_id blob not null references users (id) on delete cascade,
    created_at bigint not null,
    primary key (user_id, muted_id)
) without rowid;

create table blocks (
    user_id blob not null references users (id) on delete cascade,
    blocked_id blob not null references users (id) on delete cascade,
    created_at bigint not null,
    primary key (user_id, blocked_id)
) without rowid;
create index blocks_blocked on blocks (blocked_id);

create table reports (
    id blob primary key not null,
    reporter_id blob not null references users (id),
    reported_id blob not null references users (id),
    game_id blob,
    reason text not null,
    note text not null,
    created_at bigint not null,
    resolved_at bigint,
    resolved_by blob,
    resolution text
);
create index reports_open on reports (created_at, id) where resolved_at is null;
create index reports_reporter on reports (reporter_id);

create table audit (
    id integer primary key,
    at bigint not null,
    -- Absent for the command line.
    actor_id blob,
    action text not null,
    subject text not null,
    detail text not null
);
