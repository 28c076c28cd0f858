//! Everything in a database as lines of JSON, the same for both databases.
//!
//! The first line names the format and the schema; each other line is `{"table":…,"row":{column: value}}`. Ids are
//! text, hashes are hex, numbers are exact. Read in one transaction, so it is one moment of a running server.

use futures_util::TryStreamExt as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, ColumnIndex, Database, Decode, Row, Type};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use uuid::Uuid;

use crate::database::{Connection, Pools, SNAPSHOT};
use crate::fault::Fault;
use crate::store::Store;
use crate::tables::{Kind, TABLES, Table};

/// The version of this format.
pub(crate) const FORMAT: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) kingscross_export: u32,
    pub(crate) schema: i64,
}

/// Any other line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) table: String,
    pub(crate) row: Map<String, Value>,
}

/// Why an export is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// What was read could not be written.
    #[error("cannot write the export: {0}")]
    Write(#[from] std::io::Error),
    /// The database failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<sqlx::Error> for ExportError {
    fn from(error: sqlx::Error) -> Self {
        Self::Fault(error.into())
    }
}

impl Store {
    /// Writes every row as a line and returns how many there were. The server may go on meanwhile.
    pub async fn export_all<W: AsyncWrite + Unpin>(&self, out: &mut W) -> Result<u64, ExportError> {
        let header = Header { kingscross_export: FORMAT, schema: self.schema_version().await? };
        write_line(out, &header).await?;
        let rows = match &*self.inner.pools {
            Pools::Sqlite { read, .. } => {
                let mut transaction = read.begin().await?;
                export_rows(Connection::Sqlite(&mut transaction), out).await?
            }
            Pools::Postgres { pool } => {
                let connections = pool.current().pool;
                let mut transaction = connections.begin_with(SNAPSHOT).await?;
                export_rows(Connection::Postgres(&mut transaction), out).await?
            }
        };
        out.flush().await?;
        Ok(rows)
    }
}

async fn export_rows<W: AsyncWrite + Unpin>(
    mut connection: Connection<'_>,
    out: &mut W,
) -> Result<u64, ExportError> {
    let mut count = 0;
    for table in TABLES {
        let sql = select(table, matches!(connection, Connection::Postgres(_)));
        on!(connection, db => {
            let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch(db);
            while let Some(row) = rows.try_next().await? {
                write_line(out, &line(table, &row)?).await?;
                count += 1;
            }
        });
    }
    Ok(count)
}

fn select(table: &Table, is_postgres: bool) -> String {
    let columns: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let order: Vec<String> = table
        .order
        .iter()
        .map(|name| match table.kind(name) {
            // SQLite compares bytes; PostgreSQL would ask the language.
            Some((_, Kind::Text)) if is_postgres => format!("{name} collate \"C\""),
            _ => (*name).to_owned(),
        })
        .collect();
    format!("select {} from {} order by {}", columns.join(", "), table.name, order.join(", "))
}

fn line<R>(table: &Table, row: &R) -> sqlx::Result<Line>
where
    R: Row,
    usize: ColumnIndex<R>,
    Uuid: Readable<R::Database>,
    Vec<u8>: Readable<R::Database>,
    String: Readable<R::Database>,
    i32: Readable<R::Database>,
    i64: Readable<R::Database>,
    f64: Readable<R::Database>,
    bool: Readable<R::Database>,
{
    let mut values = Map::new();
    for (index, (name, kind)) in table.columns.iter().enumerate() {
        let value = match kind {
            Kind::Uuid => row.try_get::<Option<Uuid>, _>(index)?.map(|id| id.to_string().into()),
            Kind::Bytes => row.try_get::<Option<Vec<u8>>, _>(index)?.map(|bytes| hex(&bytes).into()),
            Kind::Text => row.try_get::<Option<String>, _>(index)?.map(Value::from),
            Kind::Int => row.try_get::<Option<i32>, _>(index)?.map(Value::from),
            Kind::Long => row.try_get::<Option<i64>, _>(index)?.map(Value::from),
            Kind::Real => row.try_get::<Option<f64>, _>(index)?.map(Value::from),
            Kind::Bool => row.try_get::<Option<bool>, _>(index)?.map(Value::from),
        };
        values.insert((*name).to_owned(), value.unwrap_or(Value::Null));
    }
    Ok(Line { table: table.name.to_owned(), row: values })
}

/// What can be read from a row of `DB`.
trait Readable<DB: Database>: for<'r> Decode<'r, DB> + Type<DB> {}

impl<DB: Database, T: for<'r> Decode<'r, DB> + Type<DB>> Readable<DB> for T {}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn write_line<W: AsyncWrite + Unpin>(out: &mut W, line: &impl Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(line).expect("its keys are text and its numbers finite");
    text.push(b'\n');
    out.write_all(&text).await
}
