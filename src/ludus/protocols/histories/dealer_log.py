"""Reading the logs of ACPC dealers: a line for each hand, with the betting, all cards, what was won, and who sat where.

::

    # name/game/hands/seed NAME holdem.nolimit.2p.reverse_blinds.game 3000 0
    STATE:0:r300c/cc/cc/cc:AhKd|QsJh/2c3d4h/5s/6d:-300|300:alice|bob

The rules are those of the game that the first line names, if it is one of ours; nothing else is opened. A log without
such a line, as some collections have them, is of the first game by whose rules a hand ends as the log says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from ludus.games.acpc import shipped_games
from ludus.games.base import TERMINAL
from ludus.games.holdem import holdem
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import read_deck, replay
from ludus.protocols.histories.hand import PlayedHand, Problem

MOST_LINE = 4096  # characters
_HEADER = re.compile(r"# name/game/hands/seed \S{1,200} (?:\S{0,200}/)?([\w.-]{1,100}) ")
_HAND = re.compile(r"STATE:([0-9]{1,10}):([^:]*):([^:]*):([^:]*):([^:]*)$")
_START = re.compile(r"^STATE:[0-9]{1,10}:", re.MULTILINE)
_CHIPS = re.compile(r"-?[0-9]{1,10}(?:\.[0-9]{1,6})?", re.ASCII)


def is_dealer_log(head: str) -> bool:
    """Whether the beginning of a file looks like such a log."""
    return bool(_HEADER.match(head) or _START.search(head))


def read_dealer_lines(lines: Iterable[str]) -> Iterator[PlayedHand | Problem]:
    """The hands of a log, line by line, or what is wrong with them.

    >>> log = ["# name/game/hands/seed m kuhn.limit.2p.game 1 0", "STATE:0:cc:Ks|Qs:1|-1:ann|bob", "SCORE:1|-1:ann|bob"]
    >>> [hand.returns() for hand in read_dealer_lines(log)]
    [(1.0, -1.0)]
    """
    game = ""
    for line in lines:
        if header := _HEADER.match(line):
            game = header[1]
        elif line.startswith("STATE:"):
            number = line[6:17].partition(":")[0]
            try:
                yield _read_hand(line.rstrip("\r\n"), game)
            except ValueError as error:
                yield Problem(f"hand {number}", f"{error}")


def _read_hand(line: str, name: str) -> PlayedHand:
    if len(line) > MOST_LINE:
        raise ValueError(f"a line has at most {MOST_LINE} characters, here is one of {len(line)}")
    parts = _HAND.match(line)
    if parts is None:
        raise ValueError(f"this is not a line of a dealer: {line!r:.80}")
    number, betting, cards, values, names = parts.groups()
    if not all(map(_CHIPS.fullmatch, values.split("|"))):
        raise ValueError(f"{values!r:.60} is not what the seats won")
    players, won = tuple(names.split("|")), [float(value) for value in values.split("|")]
    if len(won) != len(players):
        raise ValueError(f"{len(players)} players are named, and {len(won)} results")
    state = _replayed(_games(name, len(players)), betting, cards, won)
    return PlayedHand(state, players, int(number))


def _replayed(games: Sequence[PokerGame], betting: str, cards: str, won: Sequence[float]) -> PokerState:
    """The hand by the rules of the first game in which it ends like this."""
    reasons = []
    for game in games:
        try:
            state = replay(game, betting, read_deck(game, cards))
            if state.player != TERMINAL:
                raise ValueError("the hand stops before it is over")
        except ValueError as error:
            reasons.append(f"{error}")
            continue
        if all(abs(one - other) < 1e-3 for one, other in zip(state.returns(), won, strict=True)):
            return state
        found = "|".join(f"{value:g}" for value in state.returns())
        reasons.append(f"by the rules of {game.name} the seats win {found}")
    raise ValueError(reasons[0] if len(games) == 1 else f"no known game of {len(won)} players has this hand")


@cache
def _games(name: str, players: int) -> tuple[PokerGame, ...]:
    """The games that a log may be of: the one it names, or all of so many players."""
    shipped = shipped_games()
    if name and name not in shipped:
        raise ValueError(f"the game {name} is not known: there are {', '.join(shipped)}")
    if name and shipped[name].players != players:
        raise ValueError(f"{name} has {shipped[name].players} players, here are {players}")
    if name:
        return (shipped[name],)
    six = holdem(6, 10_000, (50, 100), dialect="acpc")  # as Pluribus was played
    return tuple(game for game in (*shipped.values(), six) if game.players == players)
