//! Mutes, blocks, reports, the audit log, and chat.

use kingscross_protocol::{AuditAction, Timestamp};
use kingscross_storage::{AuditEntry, ChatLine, NewReport, Store};
use uuid::Uuid;

use crate::databases::Database;
use crate::writer::{new_game, users};

stories![
    muting_and_blocking_are_undone_by_whoever_did_them,
    a_report_is_closed_once,
    the_audit_log_is_read_newest_first,
    a_table_keeps_its_last_hundred_lines,
];

async fn muting_and_blocking_are_undone_by_whoever_did_them(database: &Database) {
    let store = database.open().await;
    let [a, b, c] = users(&store, 3).await[..] else { panic!("three were made") };
    store.mute(a, b, Timestamp(2)).await.unwrap();
    store.mute(a, b, Timestamp(3)).await.unwrap();
    store.mute(a, c, Timestamp(1)).await.unwrap();
    assert_eq!(store.list_mutes(a).await.unwrap(), [c, b]);
    assert!(!store.unmute(b, a).await.unwrap());
    assert!(store.unmute(a, b).await.unwrap());
    assert_eq!(store.list_mutes(a).await.unwrap(), [c]);

    store.block(a, b, Timestamp(1)).await.unwrap();
    store.block(c, a, Timestamp(1)).await.unwrap();
    assert_eq!(store.list_blocks(a).await.unwrap(), [b]);
    let mut apart = store.list_blocks_either_way(a).await.unwrap();
    apart.sort();
    assert_eq!(apart, [b, c]);
    assert!(!store.unblock(a, c).await.unwrap());
    assert!(store.unblock(c, a).await.unwrap());
    assert_eq!(store.list_blocks_either_way(a).await.unwrap(), [b]);
}

async fn a_report_is_closed_once(database: &Database) {
    let store = database.open().await;
    let [a, b] = users(&store, 2).await[..] else { panic!("two were made") };
    let report = |at| NewReport {
        id: Uuid::now_v7(),
        reporter: a,
        reported: b,
        game: None,
        reason: "abuse".to_owned(),
        note: "he said <b>".to_owned(),
        created_at: Timestamp(at),
    };
    let (late, early) = (report(9), report(3));
    store.create_report(&late).await.unwrap();
    store.create_report(&early).await.unwrap();
    let open = store.list_open_reports(10).await.unwrap();
    assert_eq!(open.iter().map(|open| &open.report).collect::<Vec<_>>(), [&early, &late]);
    assert!(store.resolve_report(early.id, Some(b), "warned", Timestamp(10)).await.unwrap());
    assert!(!store.resolve_report(early.id, None, "again", Timestamp(11)).await.unwrap());
    assert_eq!(store.list_open_reports(10).await.unwrap().len(), 1);
    let mine = store.list_reports_by(a).await.unwrap();
    assert_eq!(
        (mine[0].resolved_at, mine[0].resolved_by, mine[0].resolution.as_deref()),
        (Some(Timestamp(10)), Some(b), Some("warned")),
    );
}

async fn the_audit_log_is_read_newest_first(database: &Database) {
    let store = database.open().await;
    let actor = users(&store, 1).await[0];
    let entry = |n: i64, actor| AuditEntry {
        at: Timestamp(n),
        actor,
        action: AuditAction::Ban,
        subject: format!("user {n}"),
        detail: "{}".to_owned(),
    };
    for n in 0..3 {
        store.append_audit(&entry(n, (n > 0).then_some(actor))).await.unwrap();
    }
    assert_eq!(store.list_audit(2).await.unwrap(), [entry(2, Some(actor)), entry(1, Some(actor))]);
    assert_eq!(store.list_audit(9).await.unwrap()[2], entry(0, None));
    let last = store.last_audit().await.unwrap();
    let after = store.list_audit_after(last - 2, 9).await.unwrap();
    assert_eq!(after, [(last - 1, entry(1, Some(actor))), (last, entry(2, Some(actor)))]);
}

async fn a_table_keeps_its_last_hundred_lines(database: &Database) {
    let store = database.open().await;
    let games = [new_game(&[], 1), new_game(&[], 1)];
    let ids = [games[0].id, games[1].id];
    for game in games {
        store.writer().create_game(game).await.unwrap();
    }
    let line = |n: u32| ChatLine { user: None, at: Timestamp(i64::from(n)), body: format!("{n}") };
    for n in 0..Store::CHAT_LINES + 5 {
        store.append_chat(ids[0], &line(n)).await.unwrap();
        if n < 3 {
            store.append_chat(ids[1], &line(n)).await.unwrap();
        }
    }
    let kept = store.load_chat(ids[0]).await.unwrap();
    assert_eq!(kept, (5..Store::CHAT_LINES + 5).map(line).collect::<Vec<_>>());
    assert_eq!(store.load_chat(ids[1]).await.unwrap().len(), 3);
}
