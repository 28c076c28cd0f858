//! One story per family of tables, told on SQLite always and on PostgreSQL when `KINGSCROSS_TEST_POSTGRES` names a
//! server where databases may be created.

#[macro_use]
mod databases;
#[path = "../../../../tests/src/fault_proxy.rs"]
#[allow(dead_code, reason = "the whole-system tests use the rest")]
mod fault_proxy;
mod arranging;
mod conduct;
mod copies;
mod games;
mod lists;
mod made_up;
mod opening;
mod outage;
mod ratings;
mod users;
mod writer;
