-- How often a player has left a match or a rated game before it began, until that is forgotten.
create table dodges (
    user_id uuid primary key references users (id) on delete cascade,
    count integer not null,
    last_at bigint not null
);
