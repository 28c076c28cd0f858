//! Reading an export into an empty database, of either kind, all of it or nothing.

use serde_json::Value;
use sqlx::{AssertSqlSafe, Database, Encode, QueryBuilder, Type};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};
use uuid::Uuid;

use crate::database::Connection;
use crate::export::{FORMAT, Header, Line};
use crate::fault::Fault;
use crate::store::Store;
use crate::tables::{Kind, TABLES, Table};

/// Rows of one statement; seventeen columns of them stay below both databases' limits of parameters.
const ROWS: usize = 400;

/// Why an import was refused. Nothing of it was stored.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// There are rows already.
    #[error("the database is not empty")]
    NotEmpty,
    /// The first line is not that of an export.
    #[error("this is not an export of kingscross")]
    NotAnExport,
    /// A newer binary wrote it.
    #[error("the export has schema {found}, newer than this binary's {known}: use a newer kingscross")]
    Newer {
        /// Of the export.
        found: i64,
        /// Of this binary.
        known: i64,
    },
    /// A line that fits no table.
    #[error("line {number}: {reason}")]
    Line {
        /// Counted from 1.
        number: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The export could not be read.
    #[error("cannot read the export: {0}")]
    Read(#[from] std::io::Error),
    /// The database failed, or refused a row.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<sqlx::Error> for ImportError {
    fn from(error: sqlx::Error) -> Self {
        Self::Fault(error.into())
    }
}

impl Store {
    /// Stores every line of an export in one transaction and returns how many rows there were.
    pub async fn import_all<R: AsyncBufRead + Unpin>(&self, input: R) -> Result<u64, ImportError> {
        let mut lines = input.lines();
        let header: Header = lines
            .next_line()
            .await?
            .and_then(|line| serde_json::from_str(&line).ok())
            .filter(|header: &Header| header.kingscross_export == FORMAT)
            .ok_or(ImportError::NotAnExport)?;
        let known = self.schema_version().await?;
        if header.schema > known {
            return Err(ImportError::Newer { found: header.schema, known });
        }
        Ok(long_transaction!(self, connection => {
            refuse_rows(&mut connection).await?;
            let (mut number, mut batch) = (1, Batch::default());
            while let Some(text) = lines.next_line().await? {
                number += 1;
                let (table, columns, cells) =
                    parse(&text).map_err(|reason| ImportError::Line { number, reason })?;
                if !batch.takes(table, &columns) {
                    batch.write(&mut connection).await?;
                    batch = Batch { table: Some(table), columns, rows: Vec::new() };
                }
                batch.rows.push(cells);
            }
            batch.write(&mut connection).await?;
            renumber(&mut connection).await?;
            // Without the header.
            number - 1
        }))
    }
}

async fn refuse_rows(connection: &mut Connection<'_>) -> Result<(), ImportError> {
    for table in TABLES {
        let sql = format!("select 1 from {} limit 1", table.name);
        let row: Option<i32> =
            on!(*connection, db => sqlx::query_scalar(AssertSqlSafe(sql)).fetch_optional(db).await?);
        if row.is_some() {
            return Err(ImportError::NotEmpty);
        }
    }
    Ok(())
}

/// Lets PostgreSQL count on after the highest number that was brought along. SQLite does so by itself.
async fn renumber(connection: &mut Connection<'_>) -> sqlx::Result<()> {
    if let Connection::Postgres(connection) = connection {
        for table in TABLES.iter().filter(|table| table.is_numbered()) {
            let sql = format!(
                "select setval(pg_get_serial_sequence('{0}', 'id'), coalesce(max(id), 1), max(id) is not null) from {0}",
                table.name
            );
            sqlx::query(AssertSqlSafe(sql)).execute(&mut **connection).await?;
        }
    }
    Ok(())
}

/// A value on its way into a column.
enum Cell {
    Uuid(Option<Uuid>),
    Bytes(Option<Vec<u8>>),
    Text(Option<String>),
    Int(Option<i32>),
    Long(Option<i64>),
    Real(Option<f64>),
    Bool(Option<bool>),
}

/// Rows of one table and the same columns; a line of an older schema may lack some.
#[derive(Default)]
struct Batch {
    table: Option<&'static Table>,
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Batch {
    fn takes(&self, table: &'static Table, columns: &[&'static str]) -> bool {
        self.table.is_some_and(|own| own.name == table.name)
            && self.columns == columns
            && self.rows.len() < ROWS
    }

    async fn write(&mut self, connection: &mut Connection<'_>) -> sqlx::Result<()> {
        let Some(table) = self.table.take() else { return Ok(()) };
        let (columns, rows) = (std::mem::take(&mut self.columns), std::mem::take(&mut self.rows));
        on!(*connection, db => insert(table, &columns, rows).build().execute(db).await.map(drop))
    }
}

type Parsed = (&'static Table, Vec<&'static str>, Vec<Cell>);

fn parse(text: &str) -> Result<Parsed, String> {
    let Line { table, row } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let table = TABLES
        .iter()
        .find(|known| known.name == table)
        .ok_or_else(|| format!("there is no table `{table}`"))?;
    let (mut columns, mut cells) = (Vec::with_capacity(row.len()), Vec::with_capacity(row.len()));
    for (name, value) in row {
        let (name, kind) =
            table.kind(&name).ok_or_else(|| format!("{} has no column `{name}`", table.name))?;
        let cell = cell(kind, value).ok_or_else(|| format!("{}.{name} has a wrong value", table.name))?;
        columns.push(name);
        cells.push(cell);
    }
    if columns.is_empty() { Err("the row is empty".to_owned()) } else { Ok((table, columns, cells)) }
}

fn cell(kind: Kind, value: Value) -> Option<Cell> {
    let is_absent = value.is_null();
    Some(match (kind, value) {
        (Kind::Uuid, Value::String(text)) => Cell::Uuid(Some(Uuid::try_parse(&text).ok()?)),
        (Kind::Bytes, Value::String(text)) => Cell::Bytes(Some(unhex(&text)?)),
        (Kind::Text, Value::String(text)) => Cell::Text(Some(text)),
        (Kind::Bool, Value::Bool(truth)) => Cell::Bool(Some(truth)),
        (Kind::Int, Value::Number(number)) => Cell::Int(Some(number.as_i64()?.try_into().ok()?)),
        (Kind::Long, Value::Number(number)) => Cell::Long(Some(number.as_i64()?)),
        (Kind::Real, Value::Number(number)) => Cell::Real(Some(number.as_f64()?)),
        _ if !is_absent => return None,
        (Kind::Uuid, _) => Cell::Uuid(None),
        (Kind::Bytes, _) => Cell::Bytes(None),
        (Kind::Text, _) => Cell::Text(None),
        (Kind::Bool, _) => Cell::Bool(None),
        (Kind::Int, _) => Cell::Int(None),
        (Kind::Long, _) => Cell::Long(None),
        (Kind::Real, _) => Cell::Real(None),
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    text.len().is_multiple_of(2).then(|| {
        text.as_bytes().chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
    })?
}

fn insert<DB: Database>(table: &Table, columns: &[&str], rows: Vec<Vec<Cell>>) -> QueryBuilder<DB>
where
    Option<Uuid>: Encode<'static, DB> + Type<DB>,
    Option<Vec<u8>>: Encode<'static, DB> + Type<DB>,
    Option<String>: Encode<'static, DB> + Type<DB>,
    Option<i32>: Encode<'static, DB> + Type<DB>,
    Option<i64>: Encode<'static, DB> + Type<DB>,
    Option<f64>: Encode<'static, DB> + Type<DB>,
    Option<bool>: Encode<'static, DB> + Type<DB>,
{
    let mut query = QueryBuilder::new(format!("insert into {} ({}) ", table.name, columns.join(", ")));
    query.push_values(rows, |mut tuple, row| {
        for cell in row {
            match cell {
                Cell::Uuid(id) => tuple.push_bind(id),
                Cell::Bytes(bytes) => tuple.push_bind(bytes),
                Cell::Text(text) => tuple.push_bind(text),
                Cell::Int(number) => tuple.push_bind(number),
                Cell::Long(number) => tuple.push_bind(number),
                Cell::Real(number) => tuple.push_bind(number),
                Cell::Bool(truth) => tuple.push_bind(truth),
            };
        }
    });
    query
}
