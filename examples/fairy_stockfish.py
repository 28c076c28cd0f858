"""Fairy-Stockfish as an opponent of `kingscross arena` in cross-a and cross-b; docs/bots.md says how to get it.

    kingscross arena cross-a --bot sovereign --external "fsf=python3 fairy_stockfish.py --skill 5" --time 300
    python3 fairy_stockfish.py --check --kingscross kingscross

The first form answers JSON lines; the second compares the rules of the two programs by perft and by the lists of legal
moves over random games. Needs only the standard library.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile

GAMES = ("cross-a", "cross-b")

# The rules of docs/rules/cross-chess.md in Fairy-Stockfish's words. What its words cannot say: that a pawn of cross-b
# becomes a queen only on d, e, f. In its search it may do so everywhere; at the root our legal list keeps it right.
# A queen reaches two steps, which is all of a palace, so that she cannot cross from one palace into the other.
VARIANTS = """
[cross-a]
maxFile = 8
maxRank = 8
king = k:W
fers = a
elephant = e
horse = h
rook = r
soldier = p
soldierPromotionRank = 5
promotionPawnTypes = p
promotionPieceTypes = a e h r
promotionRegionWhite = *8
promotionRegionBlack = *1
nMoveRuleTypes = p
doubleStep = false
castling = false
flyingGeneral = false
stalemateValue = loss
nMoveRule = 50
nFoldRule = 3
startFen = rheakehr/pppppppp/8/8/8/8/PPPPPPPP/RHEAKEHR w - - 0 1

[cross-b]
maxFile = 9
maxRank = 10
king = k
customPiece1 = q:R2B2
rook = r
bishop = b
knight = n
pawn = p
mobilityRegionWhiteKing = d1 e1 f1 d2 e2 f2 d3 e3 f3
mobilityRegionBlackKing = d10 e10 f10 d9 e9 f9 d8 e8 f8
mobilityRegionWhiteCustomPiece1 = d1 e1 f1 d2 e2 f2 d3 e3 f3 d10 e10 f10 d9 e9 f9 d8 e8 f8
mobilityRegionBlackCustomPiece1 = d1 e1 f1 d2 e2 f2 d3 e3 f3 d10 e10 f10 d9 e9 f9 d8 e8 f8
promotionPieceTypes = r b n q
promotionRegionWhite = *10
promotionRegionBlack = *1
doubleStep = true
doubleStepRegionWhite = b3 h3
doubleStepRegionBlack = b8 h8
castling = false
stalemateValue = loss
nMoveRule = 50
nFoldRule = 3
startFen = rnbqkqbnr/9/1p5p1/p1p1p1p1p/9/9/P1P1P1P1P/1P5P1/9/RNBQKQBNR w - - 0 1
"""


class Program:
    """A program that is spoken to in lines."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(f"{self.process.args[0]} has ended")
        return line.strip()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class FairyStockfish(Program):
    """One engine, set to one of the two games."""

    def __init__(self, command, game, skill=20):
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as variants:
            variants.write(VARIANTS)
            variants.flush()
            # An old one leaves out what it does not know and would play by other rules.
            checked = subprocess.run([command, "check", variants.name], input="quit\n", capture_output=True, text=True)
            if "Invalid" in checked.stdout + checked.stderr:
                sys.exit(f"this Fairy-Stockfish cannot express the rules:\n{checked.stderr}")
            super().__init__([command])
            self.option("VariantPath", variants.name)
            for name, value in ("UCI_Variant", game), ("Threads", 1), ("Hash", 64), ("Skill Level", skill):
                self.option(name, value)
            self.new_game()

    def option(self, name, value):
        self.tell(f"setoption name {name} value {value}")

    def until(self, word):
        """The lines up to the one that begins with a word."""
        lines = [self.line()]
        while not lines[-1].startswith(word):
            lines.append(self.line())
        return lines

    def new_game(self):
        self.played = []
        self.tell("ucinewgame")
        self.tell("isready")
        self.until("readyok")

    def position(self, moves):
        self.tell("position startpos" + (" moves " + " ".join(moves) if moves else ""))

    def perft(self, depth):
        """The number of nodes, and the legal moves."""
        self.tell(f"go perft {depth}")
        lines = self.until("Nodes searched")
        counts = [line.split(": ")[0] for line in lines[:-1] if ": " in line and not line.startswith("info")]
        return int(lines[-1].split()[-1]), set(counts)

    def best(self, moves, legal, time, nodes):
        """The move that it chooses among the legal ones, `(none)` if it knows none of them."""
        self.position(moves)
        limit = f"movetime {time}" if time else f"nodes {nodes}"
        self.tell(f"go {limit} searchmoves {' '.join(legal)}")
        return self.until("bestmove")[-1].split()[1]

    def is_lost(self, moves):
        """Whether it thinks that the player on turn, who has no move, has lost."""
        self.position(moves)
        self.tell("go depth 1")
        return any("score mate 0" in line or "score mate -0" in line for line in self.until("bestmove"))

    def is_drawn_by(self, moves):
        """Whether it thinks that the last of the moves makes a draw."""
        self.position(moves[:-1])
        self.tell(f"go depth 4 searchmoves {moves[-1]}")
        return any(" depth 4 " in line and "score cp 0 " in line for line in self.until("bestmove"))


def uci(action):
    """`a7-a8=R` as `a7a8r`."""
    return action.replace("-", "").replace("=", "").lower()


def is_move(action):
    return "-" in action


def answer(engines, arguments, request):
    """The action for a request of the arena."""
    game = request["variant"]
    if game not in GAMES:
        raise ValueError(f"not a game for Fairy-Stockfish: {game}")
    if game not in engines:
        engines[game] = FairyStockfish(arguments.engine, game, arguments.skill)
    engine = engines[game]
    moves = [uci(action) for action in request["actions"] if is_move(action)]
    if request["position"]["ply"] != len(moves):
        raise ValueError("the actions do not lead from the start to the position")
    if moves[: len(engine.played)] != engine.played:
        engine.new_game()
    legal = {uci(action): action for action in request["legal"]}
    best = engine.best(moves, legal, request.get("time"), request["nodes"])
    if best not in legal:
        print(f"no answer to {' '.join(moves)}: {best}", file=sys.stderr)
    engine.played = moves
    # Whatever it makes of the position, a legal move is played, and the line above tells of it.
    return legal.get(best, request["legal"][0])


def serve(arguments):
    engines = {}
    for line in sys.stdin:
        print(json.dumps({"action": answer(engines, arguments, json.loads(line))}), flush=True)
    for engine in engines.values():
        engine.close()


class Kingscross(Program):
    """`kingscross engine`, the measure of what is right."""

    def __init__(self, command):
        super().__init__([command, "engine"])

    def ask(self, **request):
        self.tell(json.dumps(request))
        reply = json.loads(self.line())
        if "error" in reply:
            raise ValueError(reply["error"]["message"])
        return reply

    def states(self, game, choices):
        """The moves played so far and what the engine says, at the start and after each move that `choices` makes."""
        played, state = [], self.ask(cmd="new", variant=game)
        while True:
            yield played, state
            action = choices(played, state)
            if action is None:
                return
            played = played + [action]
            state = self.ask(cmd="apply", actions=[action])


def at_random(dice):
    """Any move, pawns sooner than others, so that they promote; a hundred plies or so, from full boards to empty."""

    def choose(_, state):
        legal, pieces = state["legal"], state["position"]["pieces"]
        if not legal or dice.random() < 0.01:
            return None
        pawns = [action for action in legal if pieces[action.split("-")[0]][1] == "P"]
        return dice.choice(pawns if pawns and dice.random() < 0.3 else legal)

    return choose


def as_recorded(actions):
    moves = [action for action in actions if is_move(action)]
    return lambda played, _: moves[len(played)] if len(played) < len(moves) else None


def is_queen_outside(game, move):
    """Whether it is the promotion of cross-b that its variants.ini cannot forbid."""
    files = [letter for letter in move[:-1] if letter.isalpha()]
    return game == "cross-b" and move[-1] == "q" and files[1] not in "def"


class Comparison:
    """What was found in one game, and how often."""

    def __init__(self, kingscross, fairy, game):
        self.kingscross, self.fairy, self.game = kingscross, fairy, game
        self.seen = set()
        self.promotions = self.outside = self.endings = self.draws = self.faults = 0

    def fault(self, text):
        self.faults += 1
        print(f"{self.game}: {text}")

    def starts(self, depth):
        self.kingscross.ask(cmd="new", variant=self.game)
        for plies in range(1, depth + 1):
            self.fairy.position([])
            ours, theirs = self.kingscross.ask(cmd="perft", depth=plies)["nodes"], self.fairy.perft(plies)[0]
            if ours != theirs:
                self.fault(f"perft {plies} from the start: {theirs} instead of {ours}")
            else:
                print(f"{self.game}: perft {plies} from the start: {ours}, the same")

    def state(self, played, state):
        """Compares one position."""
        moves, outcome = [uci(action) for action in played], state["position"]["outcome"]
        if outcome and outcome["reason"] in ("repetition", "quiet"):
            self.draws += 1
            if not self.fairy.is_drawn_by(moves):
                self.fault(f"after {' '.join(moves)}: {outcome['reason']} is not a draw")
        if outcome and outcome["reason"] not in ("checkmate", "stalemate"):
            return  # It lists moves in positions that are drawn.
        key = json.dumps([state["position"].get(name) for name in ("pieces", "turn", "en_passant")])
        if key in self.seen:
            return
        self.seen.add(key)
        self.fairy.position(moves)
        ours, theirs = {uci(action) for action in state["legal"]}, self.fairy.perft(1)[1]
        self.promotions += any("=" in action for action in state["legal"])
        outside = {move for move in theirs - ours if is_queen_outside(self.game, move)}
        self.outside += bool(outside)
        if ours != theirs - outside:
            self.fault(f"after {' '.join(moves)}: too many {theirs - ours - outside}, missing {ours - theirs}")
        if outcome:
            self.endings += 1
            if not self.fairy.is_lost(moves):
                self.fault(f"after {' '.join(moves)}: {outcome['reason']} is not a loss")

    def __str__(self):
        return (f"{self.game}: {len(self.seen)} positions compared, {self.promotions} with a promotion, {self.endings} "
                f"mates and stalemates, {self.draws} draws; {self.outside} in which it would make a queen outside the "
                f"palaces; {self.faults} faults")


def check(arguments):
    """Whether the rules agree but for what is known."""
    records = None
    if arguments.records:
        with open(arguments.records, encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
    faults = 0
    for game in GAMES if records is None else sorted({record["variant"] for record in records}):
        kingscross, fairy = Kingscross(arguments.kingscross), FairyStockfish(arguments.engine, game)
        found = Comparison(kingscross, fairy, game)
        found.starts(arguments.depth)
        dice = random.Random(arguments.seed)
        if records is None:
            ways = iter(lambda: at_random(dice) if len(found.seen) < arguments.positions else None, None)
        else:
            ways = [as_recorded(record["actions"]) for record in records if record["variant"] == game]
        for way in ways:
            for played, state in kingscross.states(game, way):
                found.state(played, state)
        print(found)
        faults += found.faults
        kingscross.close()
        fairy.close()
    return faults == 0 and records != []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="fairy-stockfish", help="the program of Fairy-Stockfish")
    parser.add_argument("--skill", type=int, default=20, help="its Skill Level, up to 20")
    parser.add_argument("--check", action="store_true", help="compare the rules instead of playing")
    parser.add_argument("--kingscross", default="kingscross", help="check: the program to compare with")
    parser.add_argument("--depth", type=int, default=4, help="check: plies of perft from the start")
    parser.add_argument("--positions", type=int, default=2000, help="check: positions at least, from random games")
    parser.add_argument("--seed", type=int, default=1, help="check: seed of the random games")
    parser.add_argument("--records", help="check: take the positions from games that `arena --records` wrote")
    arguments = parser.parse_args()
    if arguments.check:
        sys.exit(0 if check(arguments) else 1)
    serve(arguments)


if __name__ == "__main__":
    try:
        main()
    # A program or file that is not there, one that ends too soon, a line that is no request.
    except (OSError, EOFError, ValueError, KeyError) as error:
        sys.exit(f"fairy_stockfish.py: {type(error).__name__}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
