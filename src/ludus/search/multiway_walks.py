"""Walks through the rest of a street, compiled: external sampling (Lanctot et al. 2009), and what actions are worth.

The tree is a `StreetTree`. Where the street ends, everybody who is left chooses one of a few ways in which the
blueprint goes on (Brown, Sandholm & Amos 2018, "Depth-Limited Solving for Imperfect-Information Games"), and the rest
is played by them with the cards of the deal.

A row of numbers belongs to a node and a group of hands. Walks read the regrets of all rows and change none: what they
find is written down as updates, so that several may run at once and the result depends on nothing but their seeds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import CARD_BITS
from ludus.cards.random import next_state, uniform
from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND
from ludus.games.moves import FOLD
from ludus.search.street_tree import MOST_CHOICES, StreetTree
from ludus.solvers.blueprint.deals import DEAL, held_combo
from ludus.solvers.blueprint.rollouts import UnseenCards, deal_cards, fraction, play_on, result
from ludus.solvers.blueprint.strategy import Book
from ludus.trees.situations import FRAME

Floats = NDArray[np.float64]
CONTINUATIONS = np.array([[1.0, 1.0, 1.0], [5.0, 1.0, 1.0], [1.0, 5.0, 1.0], [1.0, 1.0, 5.0]])
"""``[ways, fold/call/raise]`` What the blueprint's chances are multiplied by: as it is, or folding, calling or raising
five times as often (Brown & Sandholm 2019, "Superhuman AI for multiplayer poker")."""
CHOICES = len(CONTINUATIONS)
COMPARED = 4  # one walk in so many compares all continuations of the walker; the others take one by the strategy
REGRET, AVERAGE = 0, 1
RANKED = 1 << 4  # of DEAL.ready
UPDATE = np.dtype([("row", np.int64), ("count", np.int64), ("kind", np.int64), ("value", np.float64, (MOST_CHOICES,))])
"""What a walk adds to a row, to its regrets or to its average strategy."""
_DEEP = 64  # decisions of one player on a street, at most
AT_END = 255  # in place of the moves before it: the choice of a continuation
MOST_TRIES = 16  # deals for a first action until one has a hand that takes it
RARELY = 8  # one walk in so many is made all the same with a hand that does not
RUNOUTS = 8  # boards that a showdown counts as the mean of, where cards are to come
_LATER, _BOARDS = np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7)  # other numbers than those of the play


class Street(NamedTuple):
    """What walks read, beside the rules and the blueprint."""

    tree: StreetTree
    group: NDArray[np.int64]  # [players, 1326] the group of each hand of a seat
    groups: int  # of a seat; the last is the hand that is asked about
    asked: int  # the seat that is


class Walker(NamedTuple):
    """For whom a walk is."""

    seat: int
    exact: bool  # whether with the hand that is asked about
    compares: bool  # whether continuations are compared
    first: int  # the first action, which is given in walks of others than the player who is asked, or -1


class Room(NamedTuple):
    """Arrays that a walk works in."""

    deck: NDArray[np.uint8]
    board: NDArray[np.uint8]  # [5]
    own: NDArray[np.int64]  # [players] the group of each seat's hand
    sigma: Floats  # [MOST_CHOICES]
    biases: Floats  # [players, 4, 2, 3]
    paid: Floats  # [10]
    nodes: NDArray[np.int64]  # [2, deep] the walker's decisions that a walk is in, and the next action of each
    reach: Floats  # [deep] how often the walker comes there
    values: Floats  # [deep, 2, MOST_CHOICES] of the actions, and how often they are taken
    deals: Any  # [1] of DEAL
    hands: Any  # [1] of HAND
    frames: Any  # [1] of FRAME


@kernel
def make_room(players: int) -> Room:
    """Room for walks at a table."""
    return Room(
        np.zeros(2 * players + 5, np.uint8), np.zeros(5, np.uint8), np.zeros(players, np.int64),
        np.zeros(MOST_CHOICES), np.ones((players, 4, 2, 3)), np.zeros(10), np.zeros((2, _DEEP), np.int64),
        np.zeros(_DEEP), np.zeros((_DEEP, 2, MOST_CHOICES)), np.zeros(1, DEAL), np.zeros(1, HAND), np.zeros(1, FRAME),
    )  # fmt: skip


@kernel
def match_regrets(numbers: Floats, row: int, count: int, out: Floats) -> None:
    """The strategy in proportion to the positive numbers of a row, equal chances without any."""
    total = 0.0
    for at in range(count):
        out[at] = max(numbers[row + at], 0.0)
        total += out[at]
    for at in range(count):
        out[at] = out[at] / total if total > 0 else 1.0 / count


@kernel
def pick(sigma: Floats, count: int, u: float) -> int:
    """The place that a number from 0 to 1 falls on, never one without a chance."""
    total, last = 0.0, 0
    for at in range(count):
        if sigma[at] > 0:
            total += sigma[at]
            last = at
            if u < total:
                break
    return last


@kernel
def luck(key: np.uint64, seat: int, moves: int) -> float:
    """A number from 0 to 1 for a decision: the same at a seat's decisions after different actions of somebody else."""
    return fraction(key + _LATER, np.int64((seat << 8) + moves))


@kernel
def sort_deal(street: Street, players: int, room: Room) -> None:
    """Find the group of every seat's hand."""
    for seat in range(players):
        room.own[seat] = street.group[seat, held_combo(room.deck, seat)]


@kernel
def first_action(tree: StreetTree, asked: bool, turn: int) -> int:
    """The first action of a walk, by turns, -1 where who is asked takes all of them; never a fold, which ends it all.

    Others answer each action of that player, also one that is hardly ever taken; what they answer is the range that
    takes it (`deal_for`). Actions lead to different rows, so it does not matter how often each is walked.
    """
    if asked:
        return -1
    folds = int(tree.action[tree.first[0]] == FOLD)
    return int(folds + turn % (tree.children[0] - folds))


@kernel
def deal_for(
    street: Street, regret: Floats, table: UnseenCards, first: int, turn: int, deck: NDArray[np.uint8], sigma: Floats,
    s0: np.uint64, s1: np.uint64,
) -> tuple[bool, bool, np.uint64, np.uint64]:  # fmt: skip
    """Deal until the player who is asked has a hand that takes the first action, as often as it does by its strategy.

    Returns whether there is a deal at all, and whether it is to be walked: without such a hand only now and then.
    """
    count, taken = street.tree.children[0], False
    for _ in range(MOST_TRIES):
        for at in range(len(deck)):
            deck[at] = table.deck[at]
        found, s0, s1 = deal_cards(table, deck, s0, s1)
        if not found:
            return False, False, s0, s1
        u = uniform(s0, s1)
        s0, s1 = next_state(s0, s1)
        if first >= 0:
            group = street.group[street.asked, held_combo(deck, street.asked)]
            match_regrets(regret, street.tree.row[0] + group * count, count, sigma)
        taken = first < 0 or u < sigma[first]
        if taken:
            break
    return True, bool(taken or turn // count % RARELY == 0), s0, s1


@kernel
def learn(
    spec: Any, rules: Any, book: Book, street: Street, regret: Floats, everyone: UnseenCards, asked: UnseenCards,
    walkers: NDArray[np.int64], rounds: int, s0: np.uint64, s1: np.uint64, updates: Any,
) -> tuple[int, int, int]:  # fmt: skip
    """Rounds of walks: with hands of everyone's range, one for each walker, and one for the hand that is asked about.
    Returns how many updates there are, how many ends were reached, and how many walks there were.

    It stops early where there may be no room for the updates of another walk, or where ranges never go together.
    """
    room = make_room(rules.players)
    written = ends = walks = 0
    most = 2 * rules.players * len(street.tree.memory)
    for number in range(rounds * (len(walkers) + 1)):
        if written + most > len(updates):
            break
        step, turn = divmod(number, len(walkers) + 1)
        exact = turn == len(walkers)
        seat = street.asked if exact else walkers[turn]
        table = asked if exact else everyone
        first = first_action(street.tree, seat == street.asked, step)
        found, wanted, s0, s1 = deal_for(street, regret, table, first, step, room.deck, room.sigma, s0, s1)
        if not found:
            return written, ends, walks
        if not wanted:
            continue
        sort_deal(street, rules.players, room)
        key, compares = s0 + s1, (s0 >> np.uint64(40)) % np.uint64(COMPARED) == np.uint64(0)
        s0, s1 = next_state(s0, s1)
        if exact:
            room.own[seat] = street.groups - 1
        room.deals[0].ready = 0
        walker = Walker(seat, exact, compares, first)
        more, reached = walk(spec, rules, book, street, regret, walker, room, key, updates[written:])
        written += more
        ends += reached
        walks += 1
    return written, ends, walks


@kernel
def walk(
    spec: Any, rules: Any, book: Book, street: Street, regret: Floats, walker: Walker, room: Room,
    key: np.uint64, updates: Any,
) -> tuple[int, int]:  # fmt: skip
    """All actions of the walker, one of everybody else's; returns the numbers of updates and of ends.

    Averages are of who is met, and of the hand that is asked about by how often it comes there itself: nobody meets it.
    """
    tree, seat = street.tree, walker.seat
    depth, written, ends = 0, 0, 0
    node, mine = np.int64(0 if walker.first < 0 else tree.first[0] + walker.first), 1.0
    while True:
        while tree.children[node] > 0 and tree.hands[node].player != seat:
            other, count = tree.hands[node].player, tree.children[node]
            row = tree.row[node] + room.own[other] * count
            match_regrets(regret, row, count, room.sigma)
            if not walker.exact:
                written = _write(updates, written, row, count, AVERAGE, room.sigma, 1.0)
            node = tree.first[node] + pick(room.sigma, count, luck(key, other, tree.hands[node].moves))
        value = 0.0
        if tree.children[node] > 0:
            count = tree.children[node]
            row = tree.row[node] + room.own[seat] * count
            room.nodes[0, depth], room.nodes[1, depth], room.reach[depth] = node, 0, mine
            match_regrets(regret, row, count, room.values[depth, 1])
            if walker.exact:
                written = _write(updates, written, row, count, AVERAGE, room.values[depth, 1], mine)
            mine *= room.values[depth, 1, 0]
            depth += 1
            node = tree.first[node]
            continue
        value, more = _end(spec, rules, book, street, regret, walker, room, key, updates[written:], node)
        written += more
        ends += 1
        while depth > 0:
            above, at = room.nodes[0, depth - 1], room.nodes[1, depth - 1]
            room.values[depth - 1, 0, at] = value
            if at + 1 < tree.children[above]:
                break
            count, value = tree.children[above], 0.0
            for place in range(count):
                value += room.values[depth - 1, 1, place] * room.values[depth - 1, 0, place]
            for place in range(count):
                room.values[depth - 1, 0, place] -= value
            row = tree.row[above] + room.own[seat] * count
            written = _write(updates, written, row, count, REGRET, room.values[depth - 1, 0], 1.0)
            depth -= 1
        if depth == 0:
            return written, ends
        room.nodes[1, depth - 1] += 1
        above, at = room.nodes[0, depth - 1], room.nodes[1, depth - 1]
        mine = room.reach[depth - 1] * room.values[depth - 1, 1, at]
        node = tree.first[above] + at


@kernel
def _write(updates: Any, written: int, row: int, count: int, kind: int, values: Floats, weight: float) -> int:
    """Note an update; returns how many there are then."""
    update = updates[written]
    update.row, update.count, update.kind = row, count, kind
    for at in range(count):
        update.value[at] = weight * values[at]
    return written + 1


@kernel
def _end(
    spec: Any, rules: Any, book: Book, street: Street, regret: Floats, walker: Walker, room: Room,
    key: np.uint64, updates: Any, node: np.int64,
) -> tuple[float, int]:  # fmt: skip
    """What the end of the street is worth to the walker, and the number of updates."""
    tree, seat, written = street.tree, walker.seat, 0
    over = tree.hands[node].player == TERMINAL
    if over or tree.hands[node].folded >> seat & 1:
        return shown_down(rules, tree, node, seat, room, key), 0
    compares = walker.compares and tree.hands[node].stack[seat] > 0
    chosen = 0
    for other in range(rules.players):
        if tree.hands[node].folded >> other & 1 or tree.hands[node].stack[other] == 0:
            continue
        row = tree.row[node] + (other * street.groups + room.own[other]) * CHOICES
        match_regrets(regret, row, CHOICES, room.sigma)
        way = pick(room.sigma, CHOICES, luck(key, other, AT_END))
        if other != seat:
            if not walker.exact:
                written = _write(updates, written, row, CHOICES, AVERAGE, room.sigma, 1.0)
            go_on_by(room.biases, other, way)
        else:
            chosen = way
    row = tree.row[node] + (seat * street.groups + room.own[seat]) * CHOICES
    if walker.exact and tree.hands[node].stack[seat] > 0:
        match_regrets(regret, row, CHOICES, room.sigma)
        written = _write(updates, written, row, CHOICES, AVERAGE, room.sigma, 1.0)
    if not compares:
        go_on_by(room.biases, seat, chosen)
        return _played_on(spec, rules, book, tree, node, seat, room, key), written
    values, value = np.zeros(CHOICES), 0.0
    match_regrets(regret, row, CHOICES, room.sigma)
    for way in range(CHOICES):
        go_on_by(room.biases, seat, way)
        values[way] = _played_on(spec, rules, book, tree, node, seat, room, key)
        value += room.sigma[way] * values[way]
    written = _write(updates, written, row, CHOICES, REGRET, values - value, 1.0)
    return value, written


@kernel
def shown_down(rules: Any, tree: StreetTree, node: Any, seat: int, room: Room, key: np.uint64) -> float:
    """What a seat wins at a node where the hand is over for it: the mean of several boards if more than one is left."""
    hand, players, deal = tree.hands[node], rules.players, room.deals[0]
    known = 0 if tree.hands[0].street == 0 else tree.hands[0].street + 2
    first, live, used = 2 * players, 0, np.uint64(0)
    for at in range(known):
        used |= CARD_BITS[room.deck[first + at]]
    for other in range(players):
        live += not hand.folded >> other & 1
        used |= CARD_BITS[room.deck[2 * other]] | CARD_BITS[room.deck[2 * other + 1]]
    total = result(rules, hand, room.deck, deal, seat, room.paid)
    if known == 5 or live == 1 or hand.folded >> seat & 1:
        return total
    for at in range(5):
        room.board[at] = room.deck[first + at]
    drawn = np.int64(0)
    for _ in range(RUNOUTS - 1):
        taken = used
        for at in range(known, 5):
            card = room.deck[0]
            while CARD_BITS[card] & taken:
                card = np.uint8(52 * fraction(key + _BOARDS, drawn))
                drawn += 1
            taken |= CARD_BITS[card]
            room.deck[first + at] = card
        deal.ready &= ~RANKED
        total += result(rules, hand, room.deck, deal, seat, room.paid)
    for at in range(5):
        room.deck[first + at] = room.board[at]
    deal.ready &= ~RANKED
    return total / RUNOUTS


@kernel
def go_on_by(biases: Floats, seat: int, way: int) -> None:
    """Have a seat go on in one of the ways."""
    for at in range(4):
        for raised in range(2):
            for kind in range(3):
                biases[seat, at, raised, kind] = CONTINUATIONS[way, kind]


@kernel
def _played_on(
    spec: Any, rules: Any, book: Book, tree: StreetTree, node: Any, seat: int, room: Room, key: np.uint64
) -> float:
    """What a seat wins from a node on in the ways that all have chosen."""
    room.hands[0] = tree.hands[node]
    hand, deal, frame = room.hands[0], room.deals[0], room.frames[0]
    play_on(spec, rules, book, room.deck, deal, room.biases, key, tree.memory[node], seat, hand, frame)
    return result(rules, hand, room.deck, deal, seat, room.paid)


@kernel
def add_up(updates: Any, written: int, weight: float, regret: Floats, average: Floats) -> None:
    """Add updates to the rows, those of the average with a weight."""
    for number in range(written):
        update = updates[number]
        for at in range(update.count):
            if update.kind == REGRET:
                regret[update.row + at] += update.value[at]
            else:
                average[update.row + at] += weight * update.value[at]


@kernel
def value_actions(
    spec: Any, rules: Any, book: Book, street: Street, average: Floats, table: UnseenCards, s0: np.uint64,
    s1: np.uint64, out: Floats,
) -> int:  # fmt: skip
    """Fill in what the hand that is asked about wins ``[actions, deals]`` where all play the average strategies.

    All actions meet the same cards and the same luck. Returns how many deals were found.
    """
    room = make_room(rules.players)
    tree, seat, groups = street.tree, street.asked, street.groups
    for number in range(out.shape[1]):
        for at in range(len(room.deck)):
            room.deck[at] = table.deck[at]
        found, s0, s1 = deal_cards(table, room.deck, s0, s1)
        if not found:
            return number
        key = s0 + s1
        s0, s1 = next_state(s0, s1)
        sort_deal(street, rules.players, room)
        room.own[seat] = groups - 1
        room.deals[0].ready = 0
        for at in range(tree.children[0]):
            node = tree.first[0] + at
            while tree.children[node] > 0:
                other, count = tree.hands[node].player, tree.children[node]
                match_regrets(average, tree.row[node] + room.own[other] * count, count, room.sigma)
                node = tree.first[node] + pick(room.sigma, count, luck(key, other, tree.hands[node].moves))
            if tree.hands[node].player == TERMINAL or tree.hands[node].folded >> seat & 1:
                out[at, number] = shown_down(rules, tree, node, seat, room, key)
                continue
            for other in range(rules.players):
                row = tree.row[node] + (other * groups + room.own[other]) * CHOICES
                match_regrets(average, row, CHOICES, room.sigma)
                go_on_by(room.biases, other, pick(room.sigma, CHOICES, luck(key, other, AT_END)))
            out[at, number] = _played_on(spec, rules, book, tree, node, seat, room, key)
    return int(out.shape[1])
