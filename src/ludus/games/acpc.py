"""Game definition files of the Annual Computer Poker Competition (``.game``)."""

from __future__ import annotations

from pathlib import Path

from ludus.cards.card import deck_of
from ludus.games.poker import PokerGame
from ludus.games.rules import NO_STACK

_LISTS = ("stack", "blind", "raisesize", "firstplayer", "maxraises", "numboardcards")
_DEFAULTS = {"firstplayer": 1, "maxraises": 255}  # of rounds for which there is no number
_NUMBERS = ("numplayers", "numrounds", "numsuits", "numranks", "numholecards")
_MAX_BYTES = 65536
_SHIPPED = Path(__file__).parent / "definitions"


def read_game(path: str | Path) -> PokerGame:
    """The game that a ``.game`` file defines: a path, or the name of one that comes with the package.

    >>> read_game("holdem.nolimit.2p.reverse_blinds.game").blinds
    (100, 50)
    """
    path = Path(path)
    if not path.exists() and path.name == str(path) and (_SHIPPED / path).exists():
        path = _SHIPPED / path
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ValueError(f"cannot read the game definition {path}: {error.strerror}") from None
    if len(data) > _MAX_BYTES:
        raise ValueError(f"{path} is too large for a game definition")
    return parse_game(data.decode("utf-8", "replace"), name=path.name.removesuffix(".game"))


def shipped_games() -> dict[str, PokerGame]:
    """The games whose definitions come with the package, by the name of the file."""
    return {path.name: read_game(path) for path in sorted(_SHIPPED.glob("*.game"))}


def parse_game(text: str, name: str = "acpc") -> PokerGame:
    """The game that the text of a ``.game`` file defines.

    Keys may be in any case and the equals sign may be left out; comments, blank and unknown lines are skipped.

    >>> kuhn = '''GAMEDEF
    ... limit
    ... numPlayers = 2
    ... numRounds = 1
    ... blind = 1 1
    ... raiseSize = 1
    ... maxRaises = 1
    ... numSuits = 1
    ... numRanks = 3
    ... numHoleCards = 1
    ... numBoardCards = 0
    ... END GAMEDEF'''
    >>> parse_game(kuhn).start().legal_actions()
    (43, 47, 51)
    """
    values = _read_lines(text)
    for key in ("blind", "numboardcards", *_NUMBERS):
        if key not in values:
            raise ValueError(f"the game definition has no {key}")
    number = {key: values[key][0] for key in _NUMBERS}
    players, rounds = number["numplayers"], number["numrounds"]
    if not 2 <= players <= 10 or not 1 <= rounds <= 4:
        raise ValueError(f"a game has 2..10 players and 1..4 rounds, got {players} and {rounds}")
    for key in _LISTS:  # numbers beyond those needed are ignored
        wanted = players if key in ("stack", "blind") else rounds
        if key in values:
            missing = max(wanted - len(values[key]), 0) if key in _DEFAULTS else 0
            values[key] = (values[key] + [_DEFAULTS.get(key, 0)] * missing)[:wanted]
            if len(values[key]) < wanted:
                raise ValueError(f"{key} needs {wanted} numbers, got {len(values[key])}")
    limit = "nolimit" not in values
    first = values.get("firstplayer", [1] * rounds)
    if not all(1 <= seat <= players for seat in first):
        raise ValueError(f"firstplayer counts from 1 to {players}, got {first}")
    stacks = values.get("stack", [NO_STACK] * players)
    if any(blind > stack for blind, stack in zip(values["blind"], stacks, strict=True)):
        raise ValueError("a blind is larger than its stack")
    return PokerGame(
        name=name,
        stacks=tuple(stacks),
        blinds=tuple(values["blind"]),
        betting="limit" if limit else "no-limit",
        dialect="acpc",
        deck=deck_of(number["numranks"], number["numsuits"]),
        hole_cards=number["numholecards"],
        board_cards=tuple(values["numboardcards"]),
        raise_sizes=tuple(values.get("raisesize", ())) if limit else (),
        max_raises=tuple(values.get("maxraises", ())),
        first_seats=tuple(seat - 1 for seat in first),
    )


def format_game(game: PokerGame) -> str:
    """The ``.game`` file of a game that follows the ACPC's rules; ValueError when no such file can express it.

    >>> game = read_game("leduc.nolimit.2p.game")
    >>> parse_game(format_game(game), game.name) == game
    True
    """
    ranks, suits = (len({card // 4 for card in game.deck}), len({card % 4 for card in game.deck}))
    if game.dialect != "acpc" or game.bets is not None or any(game.antes) or game.betting == "pot-limit":
        raise ValueError(f"{game.name} is not a game of the ACPC: those allow every bet and have no antes")
    if deck_of(ranks, suits) != game.deck:
        raise ValueError(f"the deck of {game.name} is not one of the ACPC")
    first = game.first_seats or (0,) * len(game.board_cards)
    lines: list[tuple[str, tuple[int, ...]]] = [
        ("numPlayers", (game.players,)), ("numRounds", (len(game.board_cards),)),
        ("stack", game.stacks), ("blind", game.blinds), ("raiseSize", game.raise_sizes),
        ("firstPlayer", tuple(seat + 1 for seat in first)), ("maxRaises", game.max_raises),
        ("numSuits", (suits,)), ("numRanks", (ranks,)), ("numHoleCards", (game.hole_cards,)),
        ("numBoardCards", game.board_cards),
    ]  # fmt: skip
    body = "".join(f"{key} = {' '.join(map(str, values))}\n" for key, values in lines if values)
    return f"GAMEDEF\n{'limit' if game.betting == 'limit' else 'nolimit'}\n{body}END GAMEDEF\n"


def _read_lines(text: str) -> dict[str, list[int]]:
    """The numbers after each key, keys in lower case; 'limit' and 'nolimit' have none."""
    values: dict[str, list[int]] = {}
    lines = (line.strip() for line in text.splitlines())
    if not any(line.lower().startswith("gamedef") for line in lines):
        raise ValueError("a game definition starts with GAMEDEF")
    for line in lines:
        lower = line.lower()
        if lower.startswith("end gamedef"):
            return values
        if lower.startswith(("limit", "nolimit")):  # the last one counts
            values.pop("nolimit", None)
            values["nolimit" if lower[0] == "n" else "limit"] = []
            continue
        key = next((key for key in (*_LISTS, *_NUMBERS) if lower.startswith(key)), None)
        if key is None or line.startswith("#"):
            continue
        words = line[len(key) :].partition("#")[0].replace("=", " ", 1).split()
        if not words or not all(word.isdecimal() and len(word) <= 10 for word in words):
            raise ValueError(f"{line!r}: {key} needs whole numbers")
        values[key] = [int(word) for word in words]
    raise ValueError("the game definition does not end with END GAMEDEF")
