-- Each list of games is found in one index alone, whatever else is asked for: a filter that few games fit beside a
-- common one is looked for among the entries of the index and not among rows.
drop index games_status;
create index games_status on games (status, created_at, id)
    include (variant, reason, time_control, is_rated);
drop index games_variant;
create index games_variant on games (variant, created_at, id)
    include (status, reason, time_control, is_rated);
drop index games_reason;
create index games_reason on games (reason, created_at, id)
    include (variant, status, time_control, is_rated);
drop index games_time_control;
create index games_time_control on games (time_control, created_at, id)
    include (variant, status, reason, is_rated);
drop index games_rated;
create index games_rated on games (is_rated, created_at, id)
    include (variant, status, reason, time_control);
drop index games_variant_reason;
create index games_variant_reason on games (variant, reason, created_at, id)
    include (status, time_control, is_rated);
drop index games_variant_time_control;
create index games_variant_time_control on games (variant, time_control, created_at, id)
    include (status, reason, is_rated);

-- One player's changes in one pool.
drop index rating_changes_user;
create index rating_changes_history on rating_changes (user_id, pool, id);

-- How names begin is asked in the order of bytes, whatever language the database sorts by.
create index users_name_bytes on users (name_key collate "C");

-- What one player has said and who mutes it: for the export and the deletion of an account.
create index chat_lines_user on chat_lines (user_id, id);
create index mutes_muted on mutes (muted_id);

-- An index answers alone only for rows that vacuum has seen since they were written.
alter table games set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02);
alter table game_players set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02);
