//! One story per family of tables, told on SQLite always and on PostgreSQL when `KINGSCROSS_TEST_POSTGRES` names a
//! server where databases may be created.

#[macro_use]
mod databases;
mod arranging;
mod backups;
mod conduct;
#[path = "../../../../tests/src/fault_proxy.rs"]
#[allow(dead_code, reason = "the whole-system tests use the rest")]
#[allow(unreachable_pub, reason = "the file is shared with kingscross-tests")]
mod fault_proxy;
mod games;
mod lists;
mod made_up;
mod opening;
mod outage;
mod ratings;
mod users;
mod writer;
