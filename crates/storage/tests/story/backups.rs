//! Export, import and backup: the same rows again, on either database.

use std::io::Cursor;

use kingscross_protocol::{AuditAction, CommandId, LobbyId, Timestamp, UserId};
use kingscross_storage::{
    Append, AuditEntry, BackupError, ChatLine, Commanded, ImportError, Lobby, LobbySeat, NewEvent, NewReport,
    NewUser, Session, Store, Ticket, Token, UserKind,
};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use uuid::Uuid;

use crate::databases::Database;
use crate::writer::{event, finish, new_game, ten_points, users};

stories![
    an_export_imported_elsewhere_exports_the_same,
    an_import_is_all_or_nothing,
    an_imported_database_counts_on,
    a_backup_holds_one_moment_of_a_running_database,
];

/// A store with at least one row in every table.
async fn fill(store: &Store) -> Vec<UserId> {
    let players = users(store, 4).await;
    let named = UserId::fresh();
    let user = NewUser {
        id: named,
        name_key: Some("ünna".to_owned()),
        name: "Ünna \"\\\u{7}".to_owned(),
        kind: UserKind::Account,
        password_hash: Some("$argon2id$".to_owned()),
        created_at: Timestamp(i64::MAX),
    };
    store.create_user(&user).await.unwrap();
    let session = Session {
        token_hash: vec![0, 255, 16],
        user: named,
        label: String::new(),
        created_at: Timestamp(1),
        last_seen_at: Timestamp(2),
        expires_at: Timestamp(3),
    };
    store.create_session(&session).await.unwrap();
    let token = Token {
        id: Uuid::now_v7(),
        token_hash: vec![1; 32],
        user: named,
        name: "bot".to_owned(),
        scopes: vec!["play".to_owned()],
        created_at: Timestamp(1),
        last_used_at: None,
        revoked_at: None,
    };
    store.create_token(&token).await.unwrap();
    for at in [10, 20] {
        let game = new_game(&players, at);
        let id = game.id;
        store.writer().create_game(game).await.unwrap();
        let mut rating = ten_points(&players, at);
        let ten = rating.rate.clone();
        // A rating that has no short decimal form.
        rating.rate = std::sync::Arc::new(move |current| {
            let mut changes = ten(current);
            for change in &mut changes {
                change.after.rating += 1.0 / 3.0;
                change.after.volatility = 0.030_000_000_000_000_002;
            }
            changes
        });
        let commanded = Some(Commanded { user: players[0], command: CommandId::fresh() });
        let events = vec![NewEvent { commanded, ..event(2) }];
        let finish = Some(finish(at, Some(rating)));
        store.writer().append(Append { game: id, events, finish, follow_up_pending: None }).await.unwrap();
        let line = ChatLine { user: Some(players[1]), at: Timestamp(at), body: "\"hi\"".to_owned() };
        store.append_chat(id, &line).await.unwrap();
    }
    let running = new_game(&players[..2], 30);
    store.writer().create_game(running).await.unwrap();
    let lobby = Lobby {
        id: LobbyId::fresh(),
        key: None,
        is_public: true,
        variant: "cross-a".to_owned(),
        time_control: "60+0".to_owned(),
        is_rated: true,
        host: players[0],
        created_at: Timestamp(7),
        snapshot: "{}".to_owned(),
        seats: vec![LobbySeat { seat: "S".to_owned(), user: Some(players[0]), bot_level: None }],
    };
    store.save_lobby(&lobby).await.unwrap();
    let ticket = Ticket {
        id: Uuid::now_v7(),
        user: players[2],
        pools: vec!["x".to_owned()],
        created_at: Timestamp(1),
        body: "{}".to_owned(),
    };
    store.create_ticket(&ticket).await.unwrap();
    store.mute(players[0], players[1], Timestamp(1)).await.unwrap();
    store.block(players[0], players[1], Timestamp(1)).await.unwrap();
    let report = NewReport {
        id: Uuid::now_v7(),
        reporter: players[0],
        reported: players[1],
        game: None,
        reason: "abuse".to_owned(),
        note: "x".to_owned(),
        created_at: Timestamp(1),
    };
    store.create_report(&report).await.unwrap();
    let entry = AuditEntry {
        at: Timestamp(1),
        actor: None,
        action: AuditAction::Ban,
        subject: "x".to_owned(),
        detail: "{}".to_owned(),
    };
    store.append_audit(&entry).await.unwrap();
    players
}

async fn export(store: &Store) -> String {
    let mut out = Vec::new();
    store.export_all(&mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

async fn an_export_imported_elsewhere_exports_the_same(database: &Database) {
    let store = database.open().await;
    fill(&store).await;
    let exported = export(&store).await;
    let rows = u64::try_from(exported.lines().count()).unwrap() - 1;

    let elsewhere = Database::sqlite();
    let copy = elsewhere.open().await;
    assert_eq!(copy.import_all(Cursor::new(&exported)).await.unwrap(), rows);
    assert_eq!(export(&copy).await, exported);
    if let Some(server) = Database::postgres().await {
        let copy = server.open().await;
        assert_eq!(copy.import_all(Cursor::new(&exported)).await.unwrap(), rows);
        assert_eq!(export(&copy).await, exported);
        copy.close().await;
        server.remove().await;
    }
}

async fn an_import_is_all_or_nothing(database: &Database) {
    let source = Database::sqlite();
    let full = source.open().await;
    fill(&full).await;
    let exported = export(&full).await;
    let store = database.open().await;
    let import = async |text: &str| store.import_all(Cursor::new(text.to_owned())).await.unwrap_err();

    assert!(matches!(import("").await, ImportError::NotAnExport));
    assert!(matches!(import("{\"kingscross_export\":99,\"schema\":1}\n").await, ImportError::NotAnExport));
    let newer = exported.replacen("\"schema\":", "\"schema\":9", 1);
    assert!(matches!(import(&newer).await, ImportError::Newer { .. }));
    for broken in [
        "nonsense",
        r#"{"table":"sqlite_master","row":{"name":"x"}}"#,
        r#"{"table":"users","row":{"id; drop table users":1}}"#,
        r#"{"table":"users","row":{"id":"x"}}"#,
        r#"{"table":"users","row":{}}"#,
        r#"{"table":"sessions","row":{"token_hash":"0"}}"#,
    ] {
        let error = import(&format!("{exported}{broken}\n")).await;
        let last = u64::try_from(exported.lines().count()).unwrap() + 1;
        assert!(matches!(error, ImportError::Line { number, .. } if number == last), "{broken}: {error}");
    }
    // A row twice is the database's to refuse.
    let twice = format!("{exported}{}\n", exported.lines().nth(1).unwrap());
    assert!(matches!(import(&twice).await, ImportError::Fault(_)));
    assert_eq!(export(&store).await.lines().count(), 1);

    store.import_all(Cursor::new(&exported)).await.unwrap();
    assert!(matches!(import(&exported).await, ImportError::NotEmpty));
    assert_eq!(export(&store).await, exported);
}

async fn an_imported_database_counts_on(database: &Database) {
    let source = Database::sqlite();
    let full = source.open().await;
    let players = fill(&full).await;
    let store = database.open().await;
    store.import_all(Cursor::new(export(&full).await)).await.unwrap();
    let before = store.list_ledger("crossfire", 0, 100).await.unwrap();
    let game = new_game(&players, 40);
    let id = game.id;
    store.writer().create_game(game).await.unwrap();
    let finish = Some(finish(40, Some(ten_points(&players, 40))));
    store
        .writer()
        .append(Append { game: id, events: vec![event(2)], finish, follow_up_pending: None })
        .await
        .unwrap();
    let after = store.list_ledger("crossfire", 0, 100).await.unwrap();
    assert_eq!(after[..before.len()], before);
    assert_eq!(after.len(), before.len() + 4);
    let running = &store.load_running_games().await.unwrap()[0];
    store
        .writer()
        .append(Append {
            game: running.summary.id,
            events: vec![event(2)],
            finish: None,
            follow_up_pending: None,
        })
        .await
        .unwrap();
}

async fn a_backup_holds_one_moment_of_a_running_database(database: &Database) {
    let store = database.open().await;
    fill(&store).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("backup");
    let exported = export(&store).await;

    // Games go on meanwhile; each creates a game and its event together, so a torn copy would show.
    let writer = store.writer();
    let (mut running, stop) = tokio::sync::oneshot::channel::<()>();
    let play = tokio::spawn(async move {
        loop {
            tokio::select! {
                biased;
                () = running.closed() => return,
                created = writer.create_game(new_game(&[], 99)) => created.unwrap(),
            }
        }
    });
    store.backup_to(&path).await.unwrap();
    drop(stop);
    play.await.unwrap();

    let copies = Database::sqlite();
    let copy = if store.database_kind() == "sqlite" {
        Store::open(path.to_str().unwrap(), Default::default()).await.unwrap()
    } else {
        let copy = copies.open().await;
        let file = tokio::fs::File::open(&path).await.unwrap();
        copy.import_all(tokio::io::BufReader::new(file)).await.unwrap();
        copy
    };
    let copied = export(&copy).await;
    for line in exported.lines() {
        assert!(copied.contains(line), "{line}");
    }
    for game in copy.load_running_games().await.unwrap() {
        assert_eq!(copy.last_seq(game.summary.id).await.unwrap().map(|seq| seq.0), Some(1));
    }
    assert!(matches!(store.backup_to(&path).await, Err(BackupError::Exists(_))));
    let nowhere = folder.path().join("no/backup");
    assert!(matches!(store.backup_to(&nowhere).await, Err(BackupError::File { .. })));
}

/// An export that forgets a column of a new migration would lose it without a word.
#[tokio::test]
async fn an_export_has_every_column_of_every_table() {
    let database = Database::sqlite();
    let store = database.open().await;
    fill(&store).await;
    let mut connection = SqliteConnection::connect(&database.location).await.unwrap();
    // Empty by itself.
    sqlx::query("insert into write_probes values (1, x'00')").execute(&mut connection).await.unwrap();
    sqlx::query("insert into dodges select id, 1, 0 from users limit 1")
        .execute(&mut connection)
        .await
        .unwrap();
    const DEVICE: &str = "insert into devices select id, x'01', x'02', 0, 0 from users limit 1";
    sqlx::query(DEVICE).execute(&mut connection).await.unwrap();
    let exported = export(&store).await;
    let tables: Vec<String> = sqlx::query_scalar(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '_sqlx_%'",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert!(tables.len() >= 16);
    for table in tables {
        let sql = AssertSqlSafe(format!("select name from pragma_table_info('{table}')"));
        let mut columns: Vec<String> = sqlx::query_scalar(sql).fetch_all(&mut connection).await.unwrap();
        columns.sort();
        let row = exported
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .find(|line| line["table"] == table.as_str())
            .unwrap_or_else(|| panic!("no row of {table} was exported"));
        let exported: Vec<&String> = row["row"].as_object().unwrap().keys().collect();
        assert_eq!(exported, columns.iter().collect::<Vec<_>>(), "{table}");
    }
}
