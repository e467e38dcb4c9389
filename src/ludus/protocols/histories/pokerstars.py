"""Reading the hand histories that PokerStars saves as text: hold'em for money or in tournaments, any betting.

The lines of a hand are turned into moves and replayed by the rules, and the pot of the summary must equal what was
collected plus the rake. So a line that is not understood may be skipped: if it had moved chips, they would be missing.
Not supported are hands run twice, hands in which somebody posts a blind out of turn (because they came late or missed
it), and hands in which others pay more than a big blind that was all-in for less.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal

from ludus.cards.card import parse_cards
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, PokerGame
from ludus.games.rules import NO_STACK, Betting
from ludus.protocols.histories.hand import Move, PlayedHand, Problem, contested_pot, play, settle

MOST_CHARACTERS = 2**18  # of a hand, with what was said at the table
MOST_LINE = 1000  # characters of a line: patterns that look for stakes or seats take longer the more there is of it
_MONEY = r"[^\w\s.,()\[\]'-]?[0-9][0-9,]{0,15}(?:\.[0-9]{1,2})?"
_HEADER = re.compile(r"\ufeff?PokerStars (?:\w+ ){0,3}(?:Hand|Game) #([0-9]{1,18}):")
_STAKES = re.compile(rf"Hold'em (No Limit|Pot Limit|Limit)\b[^/]*?({_MONEY})/({_MONEY})")
_EVENT = re.compile(r"Tournament #[0-9]{1,18}")
_DATE = re.compile(r"- ([0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{1,2}:[0-9]{2}:[0-9]{2})(?: ([A-Z]{2,5}))?")
_TABLE = re.compile(r"Table '(.{0,200})' .*?Seat #([0-9]{1,2}) is the button")
_SEAT = re.compile(rf"Seat ([0-9]{{1,2}}): (.{{1,200}}) \(({_MONEY}) in chips\b")
_PART = re.compile(r"\*\*\* ([A-Z0-9 ]{1,40}) \*\*\*")
_CARDS = re.compile(r"\[([^\]]{0,40})\]")
_TOTAL = re.compile(rf"Total pot:? ({_MONEY})\b.*\| Rake:? ({_MONEY})")
_SEEN = re.compile(r"(?:showed|mucked) \[([^\]]{0,40})\]")
_PLAYED = re.compile(r"\b(?:folded|showed|mucked|collected|won|lost)\b")
_POST = re.compile(rf"posts (?:the )?(small blind|big blind|ante) ({_MONEY})( and is all-in)?$")
_MOVE = re.compile(rf"(checks|calls|bets|raises {_MONEY} to)(?: ({_MONEY}))?(?: and is all-in)?$")
_FOLD = re.compile(r"folds(?: \[.*\])?$")
_NO_MOVE = re.compile(r"mucks hand|doesn't show hand|sits out|is sitting out|is disconnected|is connected|said,")
_STREETS = {"HOLE CARDS": 0, "FLOP": 3, "TURN": 4, "RIVER": 5, "SHOW DOWN": None, "SUMMARY": None}
_BETTING: dict[str, Betting] = {"No Limit": "no-limit", "Pot Limit": "pot-limit", "Limit": "limit"}
_CAPS = (3, 4, 4, 4)  # raises of a limit game


def is_pokerstars(head: str) -> bool:
    """Whether the beginning of a file looks like such histories."""
    return any(_HEADER.match(line) for line in head.splitlines())


def read_pokerstars(text: str) -> list[PlayedHand]:
    """The hands of a text; ValueError at the first that cannot be read."""
    hands = []
    for found in read_pokerstars_lines(io.StringIO(text)):
        if isinstance(found, Problem):
            raise ValueError(f"{found}")
        hands.append(found)
    return hands


def read_pokerstars_lines(lines: Iterable[str]) -> Iterator[PlayedHand | Problem]:
    """The hands of a file, line by line, or what is wrong with them."""
    for number, part in _hands(lines):
        try:
            if part is None:
                raise ValueError(f"a hand has at most {MOST_CHARACTERS} characters")
            if (longest := max(map(len, part))) > MOST_LINE:
                raise ValueError(f"a line of a hand has at most {MOST_LINE} characters, here is one of {longest}")
            yield _Hand(part).played(number)
        except ValueError as error:
            yield Problem(f"hand {number}", f"{error}")


def _hands(lines: Iterable[str]) -> Iterator[tuple[int, list[str] | None]]:
    """The number and the lines of each hand; None for one that is too long."""
    number, size = 0, 0
    part: list[str] = []
    for line in lines:
        if header := _HEADER.match(line):
            if part:
                yield number, part if size <= MOST_CHARACTERS else None
            number, part, size = int(header[1]), [], 0
        elif not part:
            continue
        size += len(line)
        if size <= MOST_CHARACTERS:
            part.append(line.strip())
    if part:
        yield number, part if size <= MOST_CHARACTERS else None


class _Hand:
    """What the lines of one hand say, by name; who plays is known once all of them have been read."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.header = lines[0]
        stakes = _STAKES.search(self.header)
        if stakes is None:
            raise ValueError("this is not hold'em")
        self.betting = _BETTING[stakes[1]]
        self.currency = "" if stakes[2][0].isdecimal() else stakes[2][0]
        self.unit = Decimal("0.01") if self.currency else Decimal(1)
        self.stakes = self.chips(stakes[2]), self.chips(stakes[3])
        self.posts: dict[str, dict[str, tuple[int, bool]]] = {"small blind": {}, "big blind": {}, "ante": {}}
        self.moves: list[tuple[str, int, int, int | None]] = []  # name, action, board, pays
        self.board: tuple[int, ...] = ()
        self.holes: dict[str, list[int]] = {}
        self.listed: set[str] = set()  # whom the summary names
        self.collected: dict[str, int] = {}
        self.pot: tuple[int, int] | None = None  # total and rake
        self.table, self.button, self.chairs = self._sit_down(lines)
        names = "|".join(re.escape(name) for name in sorted(self.chairs, key=len, reverse=True))
        self.action = re.compile(f"({names}): (.*)")
        self.taken = re.compile(rf"({names}) collected ({_MONEY}) from (?:the )?(?:main |side )?pot(?:-[0-9]+)?")
        self.dealt = re.compile(rf"Dealt to ({names}) \[([^\]]{{0,40}})\]$")
        self.chair = re.compile(f"Seat [0-9]{{1,2}}: ({names}) (.*)")
        self._read(lines)

    def chips(self, text: str) -> int:
        """An amount of money as chips."""
        number = text.removeprefix(self.currency).replace(",", "")
        amount = Decimal(number) / self.unit if number[0].isdecimal() else Decimal(-1)
        if amount != int(amount) or not 0 <= amount <= NO_STACK:
            raise ValueError(f"{text!r:.40} is not an amount of up to {NO_STACK} chips")
        return int(amount)

    # Reading

    def _sit_down(self, lines: Sequence[str]) -> tuple[str, int, dict[str, tuple[int, int]]]:
        """The table, the seat with the button, and by name the number of the chair and the stack."""
        table, chairs = None, {}
        for line in lines[1:]:
            if _PART.match(line):
                break
            table = table or _TABLE.match(line)
            if table and (seat := _SEAT.match(line)):
                if seat[2] in chairs:
                    raise ValueError(f"{seat[2]} sits twice at the table")
                chairs[seat[2]] = int(seat[1]), self.chips(seat[3])
        if table is None:
            raise ValueError("no line says which table it is and who has the button")
        if not 2 <= len(chairs) <= 10 or len({number for number, _ in chairs.values()}) < len(chairs):
            raise ValueError(f"a table has 2 to 10 players, each in their own seat, here are {len(chairs)}")
        return table[1], int(table[2]), chairs

    def _read(self, lines: Sequence[str]) -> None:
        summary = False
        for line in lines[1:]:
            if part := _PART.match(line):
                self._begin(part[1], line)
                summary = part[1] == "SUMMARY"
            elif summary:
                self._read_summary(line)
            elif _SEAT.match(line):
                continue
            elif won := self.taken.fullmatch(line):
                self.collected[won[1]] = self.collected.get(won[1], 0) + self.chips(won[2])
            elif told := self.action.fullmatch(line):
                self._act(told[1], told[2])
            elif dealt := self.dealt.match(line):
                self._see(dealt[1], dealt[2])
            elif line.startswith("Hand cancelled"):
                raise ValueError("the hand was cancelled")

    def _begin(self, part: str, line: str) -> None:
        """A new part of the hand, with the cards on the board."""
        if part not in _STREETS:
            raise ValueError(f"a hand with {part.lower()!r:.40} cannot be replayed: was it run twice?")
        if count := _STREETS[part]:
            self.board = parse_cards(" ".join(_CARDS.findall(line)))
            if len(self.board) != count:
                raise ValueError(f"the {part.lower()} makes a board of {count} cards, got {len(self.board)}")

    def _act(self, name: str, told: str) -> None:
        board = len(self.board)
        if post := _POST.match(told):
            if name in self.posts[post[1]]:
                raise ValueError(f"{name} posts the {post[1]} twice")
            self.posts[post[1]][name] = self.chips(post[2]), bool(post[3])
        elif move := _MOVE.match(told):
            word, chips = move[1].split()[0], self.chips(move[2] or "0")
            passive = word in ("checks", "calls")
            if not passive and not chips:
                raise ValueError(f"{name} {word} nothing")
            self.moves.append((name, CALL if passive else chips, board, chips if passive else None))
        elif _FOLD.match(told):
            self.moves.append((name, FOLD, board, None))
        elif told.startswith("shows ["):
            self._see(name, "".join(_CARDS.findall(told)[:1]))
        elif told.startswith("posts "):
            raise ValueError(f"{name} posts a blind that is not theirs, which cannot be replayed: {told!r:.60}")
        elif not _NO_MOVE.match(told):
            raise ValueError(f"it is not clear what {name} does: {told!r:.60}")

    def _see(self, name: str, text: str) -> None:
        """Cards of a player, perhaps one of two."""
        known = list(dict.fromkeys((*self.holes.get(name, ()), *parse_cards(text))))
        if len(known) > 2:
            raise ValueError(f"{name} has more than two cards")
        self.holes[name] = known

    def _read_summary(self, line: str) -> None:
        if total := _TOTAL.match(line):
            self.pot = self.chips(total[1]), self.chips(total[2])
        elif chair := self.chair.match(line):
            if seen := _SEEN.search(chair[2]):
                self._see(chair[1], seen[1])
            if _PLAYED.search(chair[2]):
                self.listed.add(chair[1])

    # Replaying

    def played(self, number: int) -> PlayedHand:
        """The hand, replayed by the rules."""
        if self.pot is None:
            raise ValueError("the hand has no summary: is it cut off?")
        names = self._seats()
        seat = {name: at for at, name in enumerate(names)}
        moves = [Move(seat[name], action, board, pays) for name, action, board, pays in self.moves]
        holes = [[*(known := self.holes.get(name, [])), *[HIDDEN] * (2 - len(known))] for name in names]
        state = play(self._game(names, moves), holes, self.board, moves, names)
        total, rake = self.pot
        if any(name not in seat for name in self.collected):
            raise ValueError("somebody wins who does not play")
        stated = [self.collected.get(name, 0) for name in names]
        if not sum(stated) + rake == total == contested_pot(state):
            raise ValueError(
                f"the pot does not add up: it says {total}, {sum(stated)} are collected, {rake} raked, and "
                f"{contested_pot(state)} were put in"
            )
        collected, _ = settle(state, stated)
        event, day = _EVENT.search(self.header), _DATE.search(self.header)
        return PlayedHand(
            state,
            tuple(names),
            number,
            collected,
            rake,
            self.unit,
            self.currency,
            event=event[0] if event else "",
            venue="PokerStars",
            table=self.table,
            played=datetime.strptime(day[1], "%Y/%m/%d %H:%M:%S") if day else None,
            time_zone=(day[2] or "") if day else "",
            seats=tuple(self.chairs[name][0] for name in names),
        )

    def _seats(self) -> list[str]:
        """Those who play, from the first after the button to the button."""
        acting = self.listed.union((name for name, *_ in self.moves), *self.posts.values())
        names = sorted(acting, key=lambda name: (self.chairs[name][0] <= self.button, self.chairs[name][0]))
        if not 2 <= len(names) <= 10:
            raise ValueError(f"a hand has 2 to 10 players, here {len(names)} act")
        small = next(iter(self.posts["small blind"]), "")
        if len(names) == 2 and names[0] == small:  # heads-up the small blind has the button, whatever the line says
            names.reverse()
        return names

    def _game(self, names: Sequence[str], moves: Sequence[Move]) -> PokerGame:
        stacks = tuple(self.chairs[name][1] for name in names)
        limit = self.betting == "limit"
        small, big = self.stakes
        blinds = [0] * len(names)
        for kind, usual in (("small blind", 0 if limit else small), ("big blind", small if limit else big)):
            if len(self.posts[kind]) > 1:
                raise ValueError(f"{' and '.join(self.posts[kind])} post a {kind}: only one can be replayed")
            for name, (chips, all_in) in self.posts[kind].items():
                blinds[names.index(name)] += max(chips, usual) if all_in else chips
        raises = [[move.board for move in moves if move.action > 0].count(board) for board in (0, 3, 4, 5)]
        capped = limit and all(count <= cap for count, cap in zip(raises, _CAPS, strict=True))
        return PokerGame(
            name="holdem",
            stacks=stacks,
            blinds=tuple(blinds),
            antes=self._antes(names, stacks),
            betting=self.betting,
            raise_sizes=(small, small, big, big) if limit else (),
            max_raises=_CAPS if capped else (),
            min_bet=small if limit else big,
        )

    def _antes(self, names: Sequence[str], stacks: Sequence[int]) -> tuple[int, ...]:
        """The ante of each seat; one for all where everybody has paid as much of it as they could."""
        paid = [self.posts["ante"].get(name, (0, False))[0] for name in names]
        usual = max(paid)
        same = all(chips == min(usual, stack) for chips, stack in zip(paid, stacks, strict=True))
        return (usual,) * len(names) if same else tuple(paid)
