-- JSON is kept as text on both databases: storage never looks into it, and what is read back is byte for byte
-- what was written (jsonb would reorder keys and refuse \u0000).
create table users (
    id blob primary key not null,
    -- The folded form of a claimed name; guests and deleted users have none.
    name_key text unique,
    name text not null,
    kind text not null check (kind in ('guest', 'account', 'bot')),
    password_hash text,
    role text not null default 'player',
    settings text not null default '{}',
    created_at bigint not null,
    banned_at bigint,
    deleted_at bigint
);

create table sessions (
    token_hash blob primary key not null,
    user_id blob not null references users (id) on delete cascade,
    label text not null,
    created_at bigint not null,
    last_seen_at bigint not null,
    expires_at bigint not null
);
create index sessions_user on sessions (user_id);

create table tokens (
    id blob primary key not null,
    token_hash blob not null unique,
    user_id blob not null references users (id) on delete cascade,
    name text not null,
    -- Separated by spaces.
    scopes text not null,
    created_at bigint not null,
    last_used_at bigint,
    revoked_at bigint
);
create index tokens_user on tokens (user_id);
