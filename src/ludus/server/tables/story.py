"""What happened at a table in small steps, the same for everybody who looks: what a page shows one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.cards.card import CARDS
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.server.tables.state import AI_NAMES, HandInPlay, TableState
from ludus.teach.endings.luck import ran_out

STEPS = 100  # of one event of the log, at the most: what the numbers of steps count in


def tell(before: TableState, kind: str, data: dict[str, Any], after: TableState) -> list[dict[str, Any]]:
    """The steps of an event of the log, numbered so that later ones have higher numbers."""
    match kind:
        case "dealt":
            steps = _dealt(after)
        case "acted":
            steps = _acted(before, data, after)
        case "sat":
            steps = [{"kind": "sit", "chair": data["chair"], "name": data["name"]}]
        case "left":
            steps = _left(before, data["chair"])
        case "rebought":
            steps = [{"kind": "rebuy", "chair": data["chair"], "amount": data["chips"]}]
        case "away" | "back":
            steps = [{"kind": kind, "chair": data["chair"]}]
        case _:
            steps = []
    assert len(steps) < STEPS
    return [{"n": after.number * STEPS + at, **step} for at, step in enumerate(steps)]


def steps_after(story: Sequence[dict[str, Any]], since: int | None) -> list[dict[str, Any]]:
    """The steps after one of some number: by default those of this hand."""
    if since is None:
        hands = [step["n"] for step in story if step["kind"] == "hand"]
        since = hands[-1] - 1 if hands else 0
    steps = []
    for step in reversed(story):
        if step["n"] <= since:
            break
        steps.append(step)
    return steps[::-1]


def _left(before: TableState, at: int) -> list[dict[str, Any]]:
    """Who leaves, and which AI plays in their chair from then on."""
    chair = before.chairs[at]
    if chair.coming is not None:  # nobody changes places
        return [{"kind": "leave", "chair": at, "name": chair.coming[1], "instead": chair.name}]
    return [{"kind": "leave", "chair": at, "name": chair.name, "instead": AI_NAMES[at]}]


def _money(table: TableState, hand: HandInPlay, stacks: list[int], bets: list[int], pot: int) -> dict[str, Any]:
    """Stacks and bets by chair from those by seat."""
    all_stacks, all_bets = [chair.stack for chair in table.chairs], [0] * len(table.chairs)
    for seat, chair in enumerate(hand.seats):
        all_stacks[chair], all_bets[chair] = stacks[seat], bets[seat]
    return {"stacks": all_stacks, "bets": all_bets, "pot": pot}


def _dealt(after: TableState) -> list[dict[str, Any]]:
    hand = after.hand
    assert hand is not None
    first = hand.state.game.start()
    money = _money(after, hand, list(first.stacks), list(first.bets), first.pot)
    steps: list[dict[str, Any]] = [{"kind": "hand", "number": hand.number, "chair": hand.seats[-1], **money}]
    steps.append({"kind": "deal", "chairs": list(hand.seats)})
    return steps + _rest(after, hand, 0)


def action_word(state: PokerState, action: int) -> str:
    """Fold, check, call, bet, raise or all-in."""
    return state.phrase(action).verb


def _acted(before: TableState, data: dict[str, Any], after: TableState) -> list[dict[str, Any]]:
    was, hand = before.hand, after.hand
    assert was is not None
    assert hand is not None
    state, action = was.state, data["action"]
    seat = state.player
    paid = 0 if action == FOLD else state.to_call() if action == CALL else action - state.bets[seat]
    stacks, bets = list(state.stacks), list(state.bets)
    stacks[seat] -= paid
    bets[seat] += paid
    step = {"kind": "act", "chair": data["chair"], "action": action_word(state, action), "amount": paid}
    if action > CALL:
        step["to"] = action
    steps = [{**step, **_money(before, hand, stacks, bets, state.pot + paid)}]
    if after.chairs[data["chair"]].away and not before.chairs[data["chair"]].away:
        steps.append({"kind": "away", "chair": data["chair"]})
    return steps + _rest(after, hand, state.street)


def _rest(after: TableState, hand: HandInPlay, since: int) -> list[dict[str, Any]]:
    """What follows an action by itself. At an all-in hands are shown before the cards that are still to come."""
    if hand.net is None:
        return _streets(after, hand, since)
    if ran_out(hand.state):
        rest = _shown(hand) + _streets(after, hand, since) + _won(after, hand, hand.net)
        return [{**step, "all_in": True} for step in rest]
    return _streets(after, hand, since) + _shown(hand) + _won(after, hand, hand.net)


def _streets(after: TableState, hand: HandInPlay, since: int) -> list[dict[str, Any]]:
    """The cards that came after a street."""
    state, ends = hand.state, hand.state.game.card_targets
    money = _money(after, hand, list(state.stacks), [0] * len(hand.seats), state.pot)
    steps = []
    for street in range(since + 1, state.street + 1):
        board = [CARDS[card] for card in state.cards[ends[0] : ends[street]]]
        new = board[ends[street - 1] - ends[0] :]
        steps.append({"kind": "street", "street": street, "cards": new, "board": board, **money})
    return steps


def _shown(hand: HandInPlay) -> list[dict[str, Any]]:
    """Hands are shown, if there are several."""
    if not hand.showdown:
        return []
    cards = {seat: [CARDS[card] for card in hand.state.hole(seat)] for seat in hand.state.showdown_order()}
    return [{"kind": "show", "chair": hand.seats[seat], "cards": own} for seat, own in cards.items()]


def _won(after: TableState, hand: HandInPlay, net: tuple[int, ...]) -> list[dict[str, Any]]:
    """Chips are won."""
    state, steps = hand.state, list[dict[str, Any]]()
    stacks = [stack + won for stack, won in zip(state.game.stacks, net, strict=True)]
    money = _money(after, hand, stacks, [0] * len(net), 0)
    spent = state.spent()
    for seat in state.live_seats():
        if (taken := net[seat] + spent[seat]) > 0:
            steps.append({"kind": "win", "chair": hand.seats[seat], "amount": taken, "net": net[seat], **money})
    return steps
