create table ratings (
    user_id blob not null references users (id),
    pool text not null,
    rating double not null,
    deviation double not null,
    volatility double not null,
    games integer not null,
    last_played_at bigint,
    parameters text not null,
    primary key (user_id, pool)
) without rowid;
create index ratings_leaderboard on ratings (pool, rating, user_id);

-- A ledger: who gained what by which game. Annulling marks rows, it never removes them.
create table rating_changes (
    id integer primary key,
    game_id blob not null references games (id),
    user_id blob not null references users (id),
    pool text not null,
    -- The player's how-manieth rated game in this pool, from 1: the chain of before and after in its order.
    number integer not null,
    at bigint not null,
    before_rating double not null,
    before_deviation double not null,
    before_volatility double not null,
    after_rating double not null,
    after_deviation double not null,
    after_volatility double not null,
    before_played_at bigint,
    parameters text not null,
    pairs text not null,
    annulled_at bigint,
    unique (game_id, user_id)
);
create unique index rating_changes_chain on rating_changes (user_id, pool, number) where annulled_at is null;
create index rating_changes_pool on rating_changes (pool, id);
create index rating_changes_user on rating_changes (user_id, id);
