//! Players who delete their account or are banned leave whatever they take part in.

use kingscross_protocol::UserId;

use crate::app::App;
use crate::excluded::Exclusion;

/// Expels a user: when this returns, the sockets are closing, lobby seats and ticket are free, and the tables of one
/// who is deleted show the other name.
pub(crate) async fn expel(app: &App, user: UserId, why: Exclusion) {
    app.excluded.add(user, why);
    app.hub.close_user(user);
    app.lobbies.expel(user).await;
    app.queue.expel(user).await;
    if why == Exclusion::Deleted {
        app.tables.name_deleted(app, user).await;
    }
}
