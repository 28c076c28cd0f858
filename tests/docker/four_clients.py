"""Four clients, each a program of its own account, play one game among themselves to its end, whatever the line does.

    python3 four_clients.py URL VARIANT TOKEN TOKEN TOKEN TOKEN

Prints how the game ended. What they do stands in examples/bot.py.
"""

import asyncio
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))
import bot  # noqa: E402


RHYTHM = 0.1  # seconds before each move, so that what shall happen to the server happens in the middle of the game
send = bot.send


async def in_rhythm(socket, kind, **fields):
    if kind == "move":
        await asyncio.sleep(RHYTHM)
    return await send(socket, kind, **fields)


bot.send = in_rhythm


async def answer(socket, kind, **fields):
    """Sends a request and gives its answer."""
    asked = await bot.send(socket, kind, **fields)
    async for text in socket:
        message = json.loads(text)
        if message.get("id") == asked:
            if message["type"] == "error":
                sys.exit(f"{kind}: {message['code']}: {message['message']}")
            return message


async def main(url, variant, tokens):
    lobby = None

    async def hello(socket):
        await answer(socket, "hello", version=bot.PROTOCOL, client="four-clients/1")

    async def open_lobby(socket):
        await hello(socket)
        time = {"initial": 300_000, "increment": 3_000, "delay": 0}
        return (await answer(socket, "create_lobby", variant=variant, time=time, public=True))["lobby"]

    async def join(socket):
        await hello(socket)
        await answer(socket, "join_lobby", lobby=lobby)

    async def start(socket):
        await hello(socket)
        return (await answer(socket, "start_lobby", lobby=lobby))["game"]

    lobby = await bot.connected(url, tokens[0], open_lobby)
    for token in tokens[1:]:
        await bot.connected(url, token, join)
    game = await bot.connected(url, tokens[0], start)
    players = [bot.connected(url, token, bot.Bot(own=game).play) for token in tokens]
    endings = await asyncio.gather(*players)
    if any(ending["placements"] != endings[0]["placements"] for ending in endings):
        sys.exit(f"they were told different ends: {endings}")
    print(json.dumps(endings[0]))


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
