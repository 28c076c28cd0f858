//! One story per family of tables, told on SQLite always and on PostgreSQL when `KINGSCROSS_TEST_POSTGRES` names a
//! server where databases may be created.

#[macro_use]
mod databases;
mod arranging;
mod backups;
mod conduct;
mod games;
mod lists;
mod made_up;
mod opening;
mod outage;
mod proxy;
mod ratings;
mod users;
mod writer;
