//! Users, their sessions and tokens.

use kingscross_protocol::{Role, Timestamp, UserId};
use kingscross_storage::{NameError, NewUser, Session, Store, Token, UserKind};
use uuid::Uuid;

use crate::databases::Database;

stories![
    a_guest_becomes_an_account_and_keeps_its_id,
    a_name_is_claimed_once,
    a_new_password_ends_the_other_sessions,
    a_deleted_account_leaves_no_name_behind,
    a_revoked_token_opens_nothing,
];

fn session(user: UserId, n: u8) -> Session {
    Session {
        token_hash: vec![n; 32],
        user,
        label: format!("browser {n}"),
        created_at: Timestamp(10),
        last_seen_at: Timestamp(10 + i64::from(n)),
        expires_at: Timestamp(1_000),
    }
}

async fn account(store: &Store, name: &str) -> UserId {
    let id = UserId::fresh();
    let user = NewUser {
        id,
        name_key: Some(name.to_lowercase()),
        name: name.to_owned(),
        kind: UserKind::Account,
        password_hash: Some("hash".to_owned()),
        created_at: Timestamp(1),
    };
    store.create_user(&user).await.unwrap();
    id
}

async fn a_guest_becomes_an_account_and_keeps_its_id(database: &Database) {
    let store = database.open().await;
    let id = UserId::fresh();
    store.create_guest(id, "Brave Rook", Timestamp(5)).await.unwrap();
    store.create_guest(UserId::fresh(), "Brave Rook", Timestamp(6)).await.unwrap();
    let guest = store.find_user(id).await.unwrap().unwrap();
    assert_eq!((guest.kind, guest.name_key, guest.created_at), (UserKind::Guest, None, Timestamp(5)));

    store.upgrade_guest(id, "anna", "Anna", "secret").await.unwrap();
    let anna = store.find_user_by_name("anna").await.unwrap().unwrap();
    assert_eq!((anna.id, anna.kind, anna.name.as_str()), (id, UserKind::Account, "Anna"));
    let again = store.upgrade_guest(id, "anna2", "Anna2", "secret").await;
    assert!(matches!(again, Err(NameError::NoSuchUser)));

    assert!(store.set_role(id, Role::Admin).await.unwrap());
    assert!(store.set_banned(id, Some(Timestamp(7))).await.unwrap());
    assert!(!store.set_banned(UserId::fresh(), None).await.unwrap());
    let anna = store.find_user(id).await.unwrap().unwrap();
    assert_eq!((anna.settings.as_str(), anna.role), ("{}", Role::Admin));
    assert_eq!(anna.banned_at, Some(Timestamp(7)));
}

async fn a_name_is_claimed_once(database: &Database) {
    let store = database.open().await;
    account(&store, "Anna-2").await;
    let guest = UserId::fresh();
    store.create_guest(guest, "x", Timestamp(1)).await.unwrap();
    account(&store, "Anna").await;
    assert!(matches!(store.upgrade_guest(guest, "anna", "ANNA", "h").await, Err(NameError::Taken)));
    let names =
        |users: Vec<kingscross_storage::User>| users.into_iter().map(|user| user.name).collect::<Vec<_>>();
    assert_eq!(names(store.list_users_by_prefix("anna", 10).await.unwrap()), ["Anna", "Anna-2"]);
    assert_eq!(names(store.list_users_by_prefix("ann", 1).await.unwrap()), ["Anna"]);
    assert_eq!(names(store.list_users_by_prefix("b", 10).await.unwrap()), [] as [&str; 0]);
    assert_eq!(names(store.list_users(None, 2).await.unwrap()), ["Anna-2", "x"]);
    assert_eq!(names(store.list_users(Some(guest), 2).await.unwrap()), ["Anna"]);
}

async fn a_new_password_ends_the_other_sessions(database: &Database) {
    let store = database.open().await;
    let anna = account(&store, "Anna").await;
    let bert = account(&store, "Bert").await;
    for (user, n) in [(anna, 1), (anna, 2), (anna, 3), (bert, 4)] {
        store.create_session(&session(user, n)).await.unwrap();
    }
    let (found, user) = store.find_session(&[2; 32], Timestamp(500)).await.unwrap().unwrap();
    assert_eq!((found, user.id), (session(anna, 2), anna));
    assert!(store.find_session(&[2; 32], Timestamp(1_000)).await.unwrap().is_none());
    assert!(store.touch_session(&[2; 32], Timestamp(500), Timestamp(2_000)).await.unwrap());
    assert!(store.find_session(&[2; 32], Timestamp(1_000)).await.unwrap().is_some());
    let listed = store.list_sessions(anna, Timestamp(500)).await.unwrap();
    assert_eq!(listed.iter().map(|session| session.token_hash[0]).collect::<Vec<_>>(), [2, 3, 1]);

    let mut ended = store.change_password(anna, "new", Some(&[2; 32])).await.unwrap();
    ended.sort();
    assert_eq!(ended, [vec![1; 32], vec![3; 32]]);
    assert_eq!(store.find_user(anna).await.unwrap().unwrap().password_hash.as_deref(), Some("new"));
    assert_eq!(store.list_sessions(anna, Timestamp(500)).await.unwrap().len(), 1);
    assert!(!store.revoke_session(bert, &[2; 32]).await.unwrap());
    assert!(store.revoke_session(anna, &[2; 32]).await.unwrap());
    assert!(store.find_session(&[4; 32], Timestamp(500)).await.unwrap().is_some());
    assert_eq!(store.sweep_sessions(Timestamp(5_000)).await.unwrap(), 1);
}

async fn a_deleted_account_leaves_no_name_behind(database: &Database) {
    let store = database.open().await;
    let anna = account(&store, "Anna").await;
    store.create_session(&session(anna, 1)).await.unwrap();
    let game = crate::writer::new_game(&[anna], 1);
    let id = game.id;
    store.writer().create_game(game).await.unwrap();

    let ended = store.delete_user(anna, "deleted player", Timestamp(9)).await.unwrap();
    assert_eq!(ended, [vec![1; 32]]);
    let gone = store.find_user(anna).await.unwrap().unwrap();
    assert_eq!((gone.name_key, gone.password_hash, gone.deleted_at), (None, None, Some(Timestamp(9))));
    assert!(store.find_user_by_name("anna").await.unwrap().is_none());
    let players = store.find_game(id).await.unwrap().unwrap().summary.players;
    let names: Vec<_> = players.iter().filter(|player| player.user == Some(anna)).map(|p| &p.name).collect();
    assert_eq!(names, ["deleted player"]);
    account(&store, "Anna").await;
    assert!(store.delete_user(anna, "again", Timestamp(10)).await.unwrap().is_empty());
    assert_eq!(store.find_user(anna).await.unwrap().unwrap().name, "deleted player");
}

async fn a_revoked_token_opens_nothing(database: &Database) {
    let store = database.open().await;
    let anna = account(&store, "Anna").await;
    let token = Token {
        id: Uuid::now_v7(),
        token_hash: vec![7; 32],
        user: anna,
        name: "my bot".to_owned(),
        scopes: vec!["read".to_owned(), "play".to_owned()],
        created_at: Timestamp(3),
        last_used_at: None,
        revoked_at: None,
    };
    store.create_token(&token).await.unwrap();
    let (found, user) = store.find_token(&[7; 32]).await.unwrap().unwrap();
    assert_eq!((found, user.id), (token.clone(), anna));
    store.touch_token(token.id, Timestamp(4)).await.unwrap();
    assert!(!store.revoke_token(UserId::fresh(), token.id, Timestamp(5)).await.unwrap());
    assert!(store.revoke_token(anna, token.id, Timestamp(5)).await.unwrap());
    assert!(!store.revoke_token(anna, token.id, Timestamp(6)).await.unwrap());
    assert!(store.find_token(&[7; 32]).await.unwrap().is_none());
    let listed = store.list_tokens(anna).await.unwrap();
    assert_eq!((listed[0].last_used_at, listed[0].revoked_at), (Some(Timestamp(4)), Some(Timestamp(5))));
}
