-- Browsers that have signed in to an account: others who guess at its password do not keep them out.
create table devices (
    user_id uuid not null references users (id) on delete cascade,
    -- The hash of the cookie's secret.
    token_hash bytea not null,
    -- A hash of the user and the network of the last sign-in: addresses themselves are not kept.
    network_hash bytea not null,
    created_at bigint not null,
    last_seen_at bigint not null,
    primary key (user_id, token_hash)
);
create index devices_seen on devices (last_seen_at);
