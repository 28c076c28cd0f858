-- Where the server tries whether it can write; empty but inside a probe's own transaction.
create table write_probes (
    id integer primary key,
    body bytea not null
);
