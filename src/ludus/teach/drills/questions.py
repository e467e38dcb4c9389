"""Questions of drills: a situation, a hand worth thinking about, and what is right.

On the turn and the river the situation is solved with the ranges that a blueprint's play leads to, and on the flop it
is estimated by value networks; before the flop the blueprint is the answer, and rollouts say what its actions are
worth. What is right is never in the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ludus.cards.ranges import CLASSES, COMBOS, Weights, class_of_combo, class_weights, combo_name
from ludus.games import CALL, PokerState
from ludus.games.action import Kind
from ludus.games.names import place_names
from ludus.search.fast_spots import solve_fast
from ludus.search.preflop_solution import SolvedOpening
from ludus.solvers.spot.kernels.matchups import river_values
from ludus.solvers.spot.layout import PLAYERS
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import solve_spot
from ludus.solvers.spot.view import View, action_phrases
from ludus.teach.advisor import AnyTableAdvisor
from ludus.teach.drills import hands as dealing
from ludus.teach.drills.hands import BLIND
from ludus.teach.figures import Figures
from ludus.teach.grading import STANDARD
from ludus.teach.spots.places import Stage, rounded, trail
from ludus.trees.betting import CHANCE, IP, RIVER
from ludus.trees.lines import longer
from ludus.trees.spot import Spot

FLOP_SIZES = {"flop": {"bet": "33%, 75%", "raise": "60%"}, "turn": {"bet": "75%"}, "river": {"bet": "75%"}}
RIVER_SIZES = {"river": {"bet": "33%, 75%, 130%", "raise": "60%, a"}}
TURN_SIZES = {"turn": {"bet": "66%", "raise": "60%"}, "river": {"bet": "75%"}}
TARGETS, SECONDS = {4: 1.0, 5: 0.3}, {4: 3.0, 5: 1.0}  # by cards on the board: per cent of the pot, and the time
CLOSE = 0.05  # of the pot: differences of this size are the most instructive
PLAIN = 0.05  # weight of hands whose answer is plain, next to those that are close
LEAST_REACH = 0.05
ADVICE_SECONDS = 1.0
POT_IN_BLINDS = 6.0  # of a spot that says nothing about blinds
Drawn = dict[str, Any]


def draw(theme: str, seed: int, files: Sequence[str] = ()) -> Drawn:
    """A question of a theme with its solution; ``files`` are solutions of one's own spots."""
    rng = np.random.default_rng(seed)
    return _own_spot(files, rng) if theme == "my-spots" else THEMES[theme](rng)


# Turn and river


def _street(rng: np.random.Generator, street: int, wanted: Callable[[PokerState], bool] | None = None) -> PokerState:
    """Where two players begin a street, heads-up or at a table of six."""
    game = dealing.table(int(rng.choice([2, 6])))
    return dealing.found(
        game, rng, lambda state: dealing.begins_street(state, street) and (wanted is None or wanted(state))
    )


def _solved(state: PokerState) -> Solution:
    """The rest of the hand, solved from the start of a street on."""
    stack = min(state.stacks[seat] for seat in state.live_seats())
    sizes = {3: FLOP_SIZES, 4: TURN_SIZES, 5: RIVER_SIZES}[len(state.board)]
    ranges = dealing.both_ranges(state)
    spot = Spot.of(list(state.board), state.pot, stack, *ranges, sizes, raise_cap=1, min_bet=BLIND)
    if len(state.board) == 3:
        return Solution.of(solve_fast(spot))
    run = solve_spot(spot, target=TARGETS[len(state.board)], seconds=SECONDS[len(state.board)])
    return Solution.of(run, rivers=len(state.board) == 5)


def _first_to_bet(rng: np.random.Generator, street: int) -> Drawn:
    """Bet or check: first to act, or after a check."""
    state = _street(rng, street)
    solution = _solved(state)
    return _postflop(state, solution, "" if rng.random() < 0.5 else "X", rng)


def _barrel(rng: np.random.Generator) -> Drawn:
    """Whether to bet the turn, after a bet on the flop that was called."""
    state = _street(rng, 2, lambda state: dealing.aggressor(state) is not None)
    first = min(state.live_seats())
    return _postflop(state, _solved(state), "" if dealing.aggressor(state) == first else "X", rng)


def _facing(rng: np.random.Generator, street: int) -> Drawn:
    """A bet to answer: first to act after a check, or second after a bet; by how often each is made."""
    state = _street(rng, street)
    solution = _solved(state)
    lines, often = [], []
    for before in ("", "X"):
        view = solution.at(before)
        for action, share in zip(view.actions, np.nan_to_num(view.frequencies).tolist(), strict=True):
            if action.kind == Kind.RAISE:
                lines.append(longer(before, str(action)))
                often.append(share + 1e-9)
    chances = np.array(often) / sum(often)
    return _postflop(state, solution, lines[int(rng.choice(len(lines), p=chances))], rng)


def _postflop(state: PokerState, solution: Solution, line: str, rng: np.random.Generator) -> Drawn:
    """The question at a line of a street that has been solved."""
    game, seats = state.game, sorted(state.live_seats())
    places = {name: place_names(game)[seat] for name, seat in zip(PLAYERS, seats, strict=True)}
    stages = trail(solution, line)
    drawn = _at_decision(stages, places, BLIND, rng)
    drawn["question"]["line"] = [*dealing.steps(state), *drawn["question"]["line"]]
    drawn["question"] |= dealing.seats(game)
    return drawn


def _at_decision(stages: Sequence[Stage], places: dict[str, str], blind: float, rng: np.random.Generator) -> Drawn:
    """A hand of the player to act at the end of a trail, chosen for what it teaches, and the answer for it."""
    here = stages[-1]
    view = View.of(here.solution, here.place)
    at = _instructive(view, rng)
    player = view.player
    me, other = PLAYERS[player], PLAYERS[1 - player]
    combo, tree = int(view.combos[player][at]), here.solution.layout.tree
    tree_street = len(view.board) - 2
    evs = (_evs(here, view)[:, at] / blind).tolist()
    choices = [
        {"key": str(action), "kind": said.verb, "name": str(said), "amount": said.chips, "chance": chance, "ev": ev}
        for action, said, chance, ev in zip(view.actions, view.phrases, view.strategy[:, at].tolist(), evs, strict=True)
    ]
    error = max(here.solution.measured.exploitability, 0.0) / blind / 2
    if (estimate := here.solution.accuracy) is not None:  # of values by networks, in percent of the pot
        error += estimate.value_mean / 100 * here.solution.spot.pot / blind
    question = {
        "street": tree_street, "board": dealing.names(view.board), "pot": view.pot, "to_call": view.to_call,
        "needed": view.to_call / (view.pot + view.to_call) if view.to_call else None,
        "stack": view.stack, "big_blind": blind, "hand": dealing.names(COMBOS[combo][::-1].tolist()),
        "place": places[me], "villain": places[other], "against": [places[other]], "position": me,
        "line": _line(stages, places), "actions": unsolved(choices),
        "ranges": {
            "you": _classes(stages[0].place.ranges[player]), "villain": _classes(stages[0].place.ranges[1 - player])
        },
    }  # fmt: skip
    assert tree.kind[here.place.node] == player
    solution = {
        "choices": graded(choices, error, view.pot / blind),
        "equity": float(view.equity[player][at]),
        "grid": _grid(view),
        "villain": _classes(here.place.ranges[1 - player]),
        "hands": _same_class(view, combo),
        "source": "solved" if here.solution.accuracy is None else "estimated",
        "percent": here.solution.measured.percent,
        "iterations": here.solution.iterations,
    }
    return {"question": rounded(question), "solution": rounded(solution)}


def _evs(here: Stage, view: View) -> Weights:
    """What each action is worth to each hand ``[actions, hands]``.

    On the river the hand then plays its best, since after an action it never takes its strategy has learnt nothing.
    """
    place, tree, player = here.place, here.solution.layout.tree, view.player
    if tree.street[place.node] < RIVER:
        return view.action_ev
    values = river_values(place, here.solution.played)

    def best(node: int) -> Weights:
        after = [best(child) for child in tree.children(node)]
        if not after:
            return np.asarray(values[node][player])
        return np.asarray(np.max(after, axis=0) if tree.kind[node] == player else np.sum(after, axis=0))

    met = place.met[player]
    base = here.solution.spot.pot / 2 + int(tree.paid[place.node, player])
    rows = np.array([best(child) for child in tree.children(place.node)])
    evs = np.divide(rows, met, out=np.full(rows.shape, np.nan), where=met > 0) + base
    return np.asarray(evs[:, np.argsort(place.combos[player])])


def _instructive(view: View, rng: np.random.Generator) -> int:
    """The place of a hand: likely to be held there, and preferably one whose best two actions are close."""
    weights = view.weights[view.player]
    evs = view.action_ev
    usable = (view.reach[view.player] > LEAST_REACH * view.reach[view.player].max()) & ~np.isnan(evs).any(axis=0)
    if not usable.any():
        raise ValueError("no hand is worth a question here: ask again")
    best = np.sort(np.nan_to_num(evs), axis=0)[-2:]
    gap = (best[1] - best[0]) / view.pot
    chances = np.where(usable, weights * (PLAIN + np.exp(-gap / CLOSE)), 0.0)
    return int(rng.choice(len(chances), p=chances / chances.sum()))


def graded(choices: list[dict[str, Any]], error: float, pot: float) -> list[dict[str, Any]]:
    """Every choice with its grade and loss in big blinds."""
    best, most = max(each["ev"] for each in choices), max(each["chance"] for each in choices)
    found = []
    for each in choices:
        spread = each.pop("error", error)
        grade, loss = STANDARD.verdict(best - each["ev"], spread, each["chance"], most, pot)
        found.append({**each, "grade": grade, "loss": loss, "difference": best - each["ev"]})
    return found


def unsolved(choices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The choices as they may be shown before the answer."""
    return [{name: each[name] for name in ("key", "kind", "name", "amount")} for each in choices]


def _line(stages: Sequence[Stage], places: dict[str, str]) -> list[dict[str, Any]]:
    """The steps of a trail, each with its street; cards are on the board already."""
    told = []
    tree, spot = stages[0].solution.layout.tree, stages[0].solution.spot
    for before, after in pairwise(stages):
        if tree.kind[before.node] <= IP:
            at = tree.children(before.node).index(after.node)
            said = action_phrases(spot, tree, before.node)[at]
            place = places[PLAYERS[int(tree.kind[before.node])]]
            street = int(tree.street[before.node]) - 2
            told.append({"street": street, "place": place, "key": said.verb, "name": str(said), "amount": said.chips})
    return told


def _classes(weights: Weights) -> dict[str, float]:
    """A range by class, the commonest hand as 1."""
    rows = class_weights(np.minimum(weights / max(float(weights.max()), 1e-12), 1.0))
    return {CLASSES[at]: round(float(rows[at]), 3) for at in np.flatnonzero(rows > 0.0005)}


def _grid(view: View) -> dict[str, Any]:
    """What the whole range does, by class."""
    found = view.by_class(view.player)
    return {
        CLASSES[at]: {"reach": float(found.reach[at]), "strategy": found.strategy[:, at].tolist()}
        for at in np.flatnonzero(found.reach > 0.001).tolist()
        if not np.isnan(found.strategy[:, at]).any()
    }


def _same_class(view: View, combo: int) -> dict[str, Any]:
    """The hands of the class that was asked about, each with its strategy: suits matter."""
    kinds = class_of_combo[view.combos[view.player]] == class_of_combo[combo]
    return {
        combo_name(int(view.combos[view.player][at])): view.strategy[:, at].tolist()
        for at in np.flatnonzero(kinds).tolist()
    }


# One's own spots


def _own_spot(files: Sequence[str], rng: np.random.Generator) -> Drawn:
    """A decision somewhere in one of some solutions, by how often it comes up."""
    existing = [file for file in files if Path(file).is_file()]
    if not existing:
        raise ValueError("none of your spots is solved yet: solve one in the study first")
    solution = Solution.load(str(rng.choice(existing)))
    tree, spot = solution.layout.tree, solution.spot
    seen: list[list[Stage]] = []
    stages = trail(solution, "")
    while tree.kind[stages[-1].node] <= IP or tree.kind[stages[-1].node] == CHANCE:
        here = stages[-1]
        if tree.kind[here.node] == CHANCE:
            if not tree.children(here.node) or tree.paid[here.node, 0] == spot.stack:
                break
            cards = [card for card in range(52) if card not in here.place.board]
            word = dealing.names([int(rng.choice(cards))])[0]
        else:
            if len(tree.children(here.node)) > 1:
                seen.append(stages)
            often = np.nan_to_num(View.of(here.solution, here.place).frequencies)
            if not often.sum():
                break
            word = str(tree.actions(here.node)[int(rng.choice(len(often), p=often / often.sum()))])
        try:
            stages = trail(solution, longer(here.line, word))
        except ValueError:  # a card that leaves nobody a hand
            break
    if not seen:
        raise ValueError("nobody decides anything in this spot: solve another in the study")
    known = spot.rules.min_bet > 1  # the smallest bet is the big blind
    blind = spot.rules.min_bet if known else spot.pot / POT_IN_BLINDS
    places = {name: name.upper() for name in PLAYERS}
    drawn = _at_decision(seen[int(rng.integers(len(seen)))], places, blind, rng)
    drawn["question"]["big_blind"] = blind if known else 0  # amounts are then told in chips
    return drawn


# Before the flop


@cache
def _adviser() -> AnyTableAdvisor:
    return AnyTableAdvisor(seconds=ADVICE_SECONDS)


def _preflop(rng: np.random.Generator, players: int) -> Drawn:
    """A decision before the flop; the advice is the answer."""
    game = dealing.table(players)
    raised = rng.random() < 0.6  # decisions where all have folded are the commonest: this evens it out

    def wanted(state: PokerState) -> bool:
        if state.street:
            return False
        return (len(state.line[0]) > 0 and max(state.line[0]) > CALL) == raised

    state = dealing.found(game, rng, wanted, chance=0.5)
    played = dealing.blueprint().range_strategy(state.seen_by(-1))
    chances = np.clip(played.chances, 1e-12, 1)
    entropy = -(chances * np.log(chances)).sum(axis=1)
    weights = dealing.reach(state) * (PLAIN + entropy)
    combo = int(rng.choice(len(weights), p=weights / weights.sum()))
    advice = _adviser().advise(dealing.holding(state, combo))
    state = advice.state
    unit, places = game.big_blind, place_names(game)
    choices: list[dict[str, Any]] = []
    for each in advice.choices:
        error = (each.value.error if each.behind is None else each.behind.error) / unit
        action = state.action(each.action)
        choices.append(
            {
                "key": str(action), "kind": state.phrase(each.action).verb, "name": each.name,
                "amount": action.amount or state.to_call() or None, "chance": each.chance,
                "ev": each.value.mean / unit, "error": error,
            }
        )  # fmt: skip
    question = {
        "street": 0, "board": [], "pot": state.pot, "to_call": state.to_call(), "needed": None,
        "stack": state.stacks[state.player], "big_blind": unit,
        "hand": dealing.names(state.hole(state.player)[::-1]), "place": places[state.player], "villain": None,
        "against": [each.place for each in advice.opponents],
        "position": None, "line": dealing.steps(state), "actions": unsolved(choices), "ranges": None,
        **dealing.seats(game),
    }  # fmt: skip
    grid = {
        CLASSES[at]: {"reach": reach, "strategy": row}
        for at, (reach, row) in enumerate(_chart(state, [each.action for each in advice.choices]))
        if reach > 0.001
    }
    solution = {
        "choices": graded(choices, 0.0, state.pot / unit), "equity": float(advice.equity), "grid": grid,
        "villain": None, "hands": None, "source": advice.source, "percent": 100 * Figures.of(advice).accuracy,
        "iterations": None,
    }  # fmt: skip
    return {"question": rounded(question), "solution": rounded(solution)}


def _chart(state: PokerState, actions: list[int]) -> list[tuple[float, list[float]]]:
    """By class: how likely it is to get here, and how often each of the actions is taken by whoever gave the advice."""
    played = SolvedOpening(dealing.blueprint()).range_strategy(state.seen_by(-1))
    reach, sizes = dealing.reach(state), np.bincount(class_of_combo)
    columns = np.zeros((len(COMBOS), len(actions)))
    raises = np.array([action if action > CALL else np.inf for action in actions])
    for action, chances in zip(played.actions, played.chances.T, strict=True):
        if action > CALL:
            at = int(np.argmin(np.abs(raises - action)))
        else:
            at = actions.index(action if action in actions else CALL)
        columns[:, at] += chances
    held = np.bincount(class_of_combo, reach, len(CLASSES))
    rows = np.stack([np.bincount(class_of_combo, column, len(CLASSES)) / sizes for column in columns.T], axis=1)
    return list(zip((held / sizes).tolist(), rows.tolist(), strict=True))


THEMES: dict[str, Callable[[np.random.Generator], Drawn]] = {
    "flop-facing-bet": lambda rng: _facing(rng, 1),
    "flop-bet": lambda rng: _first_to_bet(rng, 1),
    "river-facing-bet": lambda rng: _facing(rng, 3),
    "river-bet": lambda rng: _first_to_bet(rng, 3),
    "turn-barrel": _barrel,
    "turn-facing-bet": lambda rng: _facing(rng, 2),
    "preflop-heads-up": lambda rng: _preflop(rng, 2),
    "preflop-six": lambda rng: _preflop(rng, 6),
}
