"""Asks a running server through the client that openapi-python-client has made of its description.

    python.py URL NUMBER-OF-GAMES
"""

import json
import sys
from uuid import UUID

from kingscross_api import Client
from kingscross_api.api.account import become_guest, me
from kingscross_api.api.analysis import look
from kingscross_api.api.games import find_game, list_games, list_records, record_of_game, variants
from kingscross_api.models import (
    ErrorBody,
    ErrorCode,
    EventCreated,
    EventPlayed,
    GameRecord,
    GameSummary,
    GameView,
    Me,
    PageGameSummary,
    PositionRequest,
    PositionView,
    UserView,
)
from kingscross_api.types import UNSET, Unset

url, count = sys.argv[1], int(sys.argv[2])
client = Client(base_url=url, raise_on_unexpected_status=True)

guest = become_guest.sync(client=client)
assert isinstance(guest, UserView), guest
who = me.sync(client=client)
assert isinstance(who, Me) and who.id == guest.id, who

games: list[UUID] = []
cursor: str | Unset = UNSET
while True:
    page = list_games.sync(client=client, limit=7, cursor=cursor)
    assert isinstance(page, PageGameSummary), page
    games += [item.game for item in page.items]
    if not isinstance(page.next_, str):
        break
    cursor = page.next_
assert len(games) == len(set(games)) == count, games

for game in games[:5]:
    answer = record_of_game.sync_detailed(game, client=client)
    record = answer.parsed
    assert isinstance(record, GameRecord), answer
    assert record.game == game and isinstance(record.events[0].event, EventCreated), record.events[0]
    assert any(isinstance(entry.event, EventPlayed) for entry in record.events), game
    # Nothing is lost in the client's types.
    assert record.to_dict() == json.loads(answer.content), game
    view = find_game.sync_detailed(game, client=client)
    assert isinstance(view.parsed, GameView), view
    assert view.parsed.to_dict() == json.loads(view.content), game

lines = list_records.sync_detailed(client=client)
assert len(lines.content.splitlines()) == count, lines

unknown = find_game.sync(guest.id, client=client)
assert isinstance(unknown, ErrorBody) and unknown.code == ErrorCode.UNKNOWN_GAME, unknown

listed = variants.sync_detailed(client=client)
known = listed.parsed
assert isinstance(known, list), listed
assert [info.to_dict() for info in known] == json.loads(listed.content), known
assert "crossfire" in {info.variant for info in known}, known
start = look.sync(client=client, body=PositionRequest(variant="crossfire"))
assert isinstance(start, PositionView) and len(start.legal) == 20, start
print(f"Python: {len(games)} games, {len(known)} variants, as {guest.name}")
