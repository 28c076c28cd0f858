"""A bot for Kingscross: takes what it can, otherwise plays anything.

    python3 -m venv python && python/bin/pip install websockets
    python/bin/python bot.py URL TOKEN [VARIANT]

Needs the package `websockets` (Debian: python3-websockets), otherwise only the standard library. URL is the address of the
server as players type it, such as http://localhost:8080. The token is made on the account page (scopes `read` and
`play`). With a variant the bot starts a game of it against bots of the server and ends with that game;
without one it plays every game that its account is in, for ever.
"""

import asyncio
import json
import random
import sys
import uuid
from urllib.parse import urlsplit

try:
    import websockets
except ImportError:
    sys.exit("bot.py needs the package `websockets`: python3 -m venv python && python/bin/pip install websockets, then run it by python/bin/python")

PROTOCOL = 1
PING_EVERY = 5  # seconds; the server closes a socket that is silent for 30
PAUSE = 1  # seconds before a move that was refused for the moment is sent again, or a lost connection is opened again
WRONG_VERSION = 4000  # the close code for a protocol that the server does not speak


async def send(socket, kind, **fields):
    """Sends a request and returns its id. Every request gets exactly one answer, `ok` or `error`, with that id."""
    request = {"id": str(uuid.uuid4()), "type": kind, **fields}
    await socket.send(json.dumps(request))
    return request["id"]


async def ping(socket):
    while True:
        await asyncio.sleep(PING_EVERY)
        await send(socket, "ping")


def choose(legal):
    return random.choice([move for move in legal if "captures" in move] or legal)


class Bot:
    """Plays all games of its account, until its own one has ended; for ever, if it has none."""

    def __init__(self, variant=None, own=None):
        self.variant = variant  # of the game that it starts
        self.own = own  # that game, once it is there

    async def play(self, socket):
        """Plays over a new connection, and goes on where the last one broke off."""
        await send(socket, "hello", version=PROTOCOL, client="example-bot.py/1")
        # One stream announces all running games of the account, and whose turn it is in each.
        await send(socket, "stream")
        start = None
        if self.own:
            # It may have ended meanwhile.
            await send(socket, "watch", game=self.own)
        elif self.variant:
            start = await send(socket, "play_now", variant=self.variant)
        ended, sent = {}, {}
        async for text in socket:
            message = json.loads(text)
            kind = message["type"]
            move = sent.pop(message.get("id"), None)
            if kind == "ok" and message["id"] == start:
                self.own = message["game"]
            elif kind == "error" and message["id"] == start:
                sys.exit(f"{message['code']}: {message['message']}")
            elif kind == "your_turn":
                # A move for a turn that has passed (announced again after a reconnect) is refused as `stale`: that is all.
                move = {"game": message["game"], "ply": message["ply"], "mv": choose(message["legal"])["mv"]}
                sent[await send(socket, "move", **move)] = move
            elif move and kind == "error" and message["retryable"]:
                # Too fast for the server, or it cannot store anything now.
                await asyncio.sleep(PAUSE)
                sent[await send(socket, "move", **move)] = move
            elif kind == "game_end":
                ended[message["game"]] = message["ending"]
            elif kind == "snapshot" and message["history"][-1]["event"]["kind"] in ("finished", "aborted"):
                ended[message["game"]] = message["history"][-1]["event"]
            if self.own in ended:
                return ended[self.own]


def final(error):
    """Why there is no use in trying to connect again; nothing if there is."""
    if isinstance(error, websockets.ConnectionClosed):
        return f"the server wants another client: {error}" if error.rcvd and error.rcvd.code == WRONG_VERSION else None
    # The status stands in another place since version 14 of the package.
    status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    if status in (401, 403):
        return f"the server does not accept the token (HTTP {status})"
    # No connection, one that broke off, a server that starts, stops or is busy.
    if isinstance(error, (OSError, websockets.InvalidMessage)) or status == 429 or status and status >= 500:
        return None
    return str(error)


async def connected(url, token, work):
    """Gives what some work on a connection gives, which begins again on a new one when the connection is lost."""
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not address.netloc:
        sys.exit(f"{url} is no address such as http://localhost:8080")
    scheme = "wss" if address.scheme == "https" else "ws"
    # A server may be under a path of its site.
    socket_url = f"{scheme}://{address.netloc}{address.path.rstrip('/')}/api/v1/ws"
    # The option's name before version 14 of the package.
    headers = "additional_headers" if int(websockets.version.version.split(".")[0]) >= 14 else "extra_headers"
    options = {headers: {"Authorization": f"Bearer {token}"}, "max_size": 2**20}
    while True:
        try:
            async with websockets.connect(socket_url, **options) as socket:
                alive = asyncio.create_task(ping(socket))
                try:
                    return await work(socket)
                finally:
                    alive.cancel()
        except (websockets.WebSocketException, OSError) as error:
            if reason := final(error):
                sys.exit(f"{url}: {reason}")
            print(f"{url}: {error}; again in {PAUSE} s", file=sys.stderr)
        await asyncio.sleep(PAUSE)


async def main(url, token, variant=None):
    print(json.dumps(await connected(url, token, Bot(variant).play)))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
