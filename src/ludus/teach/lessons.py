"""Lessons: regret matching, Kuhn poker, the equilibrium of Leduc, an opponent at rock, paper, scissors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from ludus import games
from ludus.agents.equilibrium import equilibrium, solved_game
from ludus.games import CALL, TERMINAL, PokerGame, PokerState
from ludus.games.matrix import MatrixGame
from ludus.games.record import move_text, replay
from ludus.solvers import Evaluator, Settings, Strategy
from ludus.solvers.kuhn import SETS, VALUE, bets_of, fitted_alpha, information_set, off_the_family
from ludus.solvers.kuhn import equilibrium as kuhn_equilibrium
from ludus.solvers.matching import learnt, matched
from ludus.solvers.measure import action_values
from ludus.solvers.montecarlo.solver import MonteCarlo
from ludus.solvers.passes import Floats, by_action
from ludus.solvers.running import Runnable, follow, measuring_points
from ludus.solvers.solve import make_solver
from ludus.trees import flatten

MOVES = ("rock", "paper", "scissors")
CARDS = ("Q", "K", "A")
ALGORITHMS = {"cfr": "cfr", "cfr+": "cfr+", "mccfr": "external"}
FIRST = 20  # iterations that are all shown
DIGITS = 9


def _followed(solver: Runnable, iterations: int) -> Iterator[int]:
    """Take a solver from stop to stop: all of the first iterations, then four for each doubling, and the last one."""
    for done, _ in follow(solver, measuring_points(iterations, FIRST)):
        yield done


def _numbers(values: Any) -> list[float]:
    return [round(float(value), DIGITS) for value in values]


# Matrix games


def regret_matching(
    payoffs: Sequence[Sequence[float]], iterations: int, opponent: Sequence[float] | None, sampled: bool, seed: int
) -> dict[str, Any]:
    """Both players learn, or the first against a fixed mix of the second; actions are drawn unless told otherwise."""
    plus = tuple(tuple(float(each) for each in row) for row in payoffs)
    minus = tuple(tuple(-each for each in row) for row in plus)
    flat = flatten(MatrixGame("matrix", plus, minus, MOVES, MOVES))
    fixed = {}
    if opponent is not None:
        total = sum(opponent)
        fixed[1] = flat.table([1 / 3] * 3 + [share / total for share in opponent])
    settings = Settings("external", seed, streams=1) if sampled else Settings("rm")
    solver = make_solver(flat, settings, fixed=fixed)
    judge = Evaluator(flat)
    points: list[dict[str, Any]] = []
    before = np.zeros((2, 3))
    for done in _followed(solver, iterations):
        point, regrets = _matrix_point(solver, judge, fixed, done)
        if done == 1 or (points and points[-1]["iteration"] == done - 1):
            point["gained"] = _numbers(regrets[0] - before[0])
        before = regrets
        points.append(point)
    return {"names": MOVES, "sampled": sampled, "points": points}


def _matrix_point(solver: Any, judge: Evaluator, fixed: dict[int, Floats], done: int) -> tuple[dict[str, Any], Floats]:
    rows = solver.flat.sets.by_action
    regrets = (by_action(solver.plan, solver.regrets) if isinstance(solver, MonteCarlo) else solver.regrets)[rows]
    regrets = regrets.reshape(2, 3).copy()
    average = solver.average()
    shares = average[rows].reshape(2, 3)
    mixes = [matched(regrets[0]), shares[1] if fixed else matched(regrets[1])]
    found = judge.evaluate(average)
    point = {
        "iteration": done,
        "mix": _numbers(mixes[0]),
        "average": _numbers(shares[0]),
        "regrets": _numbers(regrets[0]),
        "gained": None,
        "opponent": {"mix": _numbers(mixes[1]), "average": _numbers(shares[1])},
        "value": round(found.value[0], DIGITS),
        "best_response": round(found.best_response[0], DIGITS),
        "exploitability": None if fixed else round(max(found.exploitability, 0.0), DIGITS),
    }
    return point, regrets


# Kuhn poker


def kuhn(algorithm: str, iterations: int, seed: int) -> dict[str, Any]:
    """An algorithm on Kuhn poker from its first iteration on, with the equilibrium nearest to where it ends."""
    flat, solver_name = flatten(games.kuhn()), ALGORITHMS[algorithm]
    settings = Settings(solver_name, seed, streams=1) if solver_name == "external" else Settings(solver_name)
    solver, judge, points = make_solver(flat, settings), Evaluator(flat), []
    bets: dict[str, float] = {}
    for done in _followed(solver, iterations):
        average = solver.average()
        bets, found = bets_of(flat, average), judge.evaluate(average)
        points.append(
            {
                "iteration": done,
                "strategy": {information_set(name)[1]: round(bets[name], DIGITS) for name in SETS},
                "exploitability": round(max(found.exploitability, 0.0), 12),
                "value": round(found.value[0], 12),
            }
        )
    alpha = fitted_alpha(bets)
    nearest = kuhn_equilibrium(alpha)
    return {
        "cards": CARDS,
        "sets": [_kuhn_set(name) for name in SETS],
        "points": points,
        "family": {
            "alpha": alpha, "low": 0.0, "high": 1 / 3, "distance": off_the_family(bets),
            "equilibrium": {information_set(name)[1]: nearest[name] for name in SETS},
        },
        "exact_value": VALUE,
    }  # fmt: skip


def _kuhn_set(name: str) -> dict[str, Any]:
    player, ours = information_set(name)
    card, _, history = ours.partition(":")
    return {"name": ours, "player": player, "card": card, "history": history}


# Leduc


@cache
def _values(name: str) -> dict[tuple[int, str], dict[int, float]]:
    """What every action of an equilibrium is worth, by player and information set."""
    flat = flatten(solved_game(name))
    values = Strategy.of(flat, action_values(flat, equilibrium(name).strategy.table(flat)))
    rows = ((player, text, actions) for player, text, actions in values.rows())
    return {(player, text): {action: value for action, _, value in actions} for player, text, actions in rows}


def leduc(game: str, card: str, board: str | None, betting: str) -> dict[str, Any]:
    """What the equilibrium does with a card after some betting, and what each action is worth to it there."""
    rules = solved_game(game)
    ranks = list(dict.fromkeys(rules.name_cards((each,)) for each in rules.deck))
    for rank in filter(None, (card, board)):
        if rank not in ranks:
            raise ValueError(f"the cards of {game} are {', '.join(ranks)}, got {rank!r}")
    solved = equilibrium(game)
    content: dict[str, Any] = {
        "game": game, "card": card, "board": board, "betting": betting, "ranks": ranks, "player": None, "pot": None,
        "stage": "act", "to_call": None, "choices": [], "value": None,
        "exploitability": solved.exploitability, "unit": rules.blinds[0],
    }  # fmt: skip
    state = _replayed(rules, betting, card, board)
    content["pot"] = state.pot
    if state.player == TERMINAL:
        return content | {"stage": "over"}
    content["betting"] = betting if betting.count("/") == state.street else f"{betting}/"
    if state.street and board is None:
        return content | {"stage": "board"}
    seat, text = state.player, state.information_state(state.player)
    values, paid = _values(game)[seat, text], rules.stacks[seat] - state.stacks[seat]
    chances = solved.strategy.at(seat, text)
    content["choices"] = [
        {**_choice(state, action), "chance": round(chance, 6), "value": _from_here(values[action], paid)}
        for action, chance in chances.items()
    ]
    worth = [chance * values[action] for action, chance in chances.items() if chance > 0]
    content |= {"player": seat, "to_call": state.to_call(), "value": _from_here(sum(worth), paid)}
    return content


def _from_here(value: float, paid: int) -> float | None:
    """A value of the whole hand as one from here on, where a fold is worth 0; none where nobody gets there."""
    return None if math.isnan(value) else round(value + paid, 4)


def _choice(state: PokerState, action: int) -> dict[str, Any]:
    said, to = state.phrase(action), action if action > CALL else None
    return {"key": said.verb, "name": str(said), "action": move_text(state, action), "to": to}


def _replayed(game: PokerGame, betting: str, card: str, board: str | None) -> PokerState:
    """The hand after some betting; whoever acts then holds the card."""
    for hero in range(game.players):
        deck = list(game.deck)
        shown: list[int] = []
        for rank in (card, board):
            taken = [each for each in deck if each not in shown and game.name_cards((each,)) == rank]
            shown.append(taken[0] if taken else next(each for each in deck if each not in shown))
        others = [each for each in deck if each not in shown]
        cards = [others[0], others[0], shown[1]]
        cards[hero] = shown[0]
        state = _after(game, betting, [*cards, *others[1:]])
        if state.player in (hero, TERMINAL):
            return state
    raise AssertionError("somebody acts")


def _after(game: PokerGame, betting: str, deck: list[int]) -> PokerState:
    """The hand after its betting, with or without the slash of a street that has just ended."""
    try:
        return replay(game, betting, deck)
    except ValueError:
        if betting.endswith("/") or not betting:
            raise
        try:
            return replay(game, f"{betting}/", deck)
        except ValueError:
            pass
        raise


# Rock, paper, scissors


def rps_mix(regrets: Sequence[float], move: str | None) -> dict[str, Any]:
    """A learner's next mix: regret matching on all that the other has shown, one move more than before."""
    payoffs = np.array(games.rock_paper_scissors().row_payoffs)
    so_far = np.array(regrets, dtype=np.float64)
    if move is not None:
        so_far = learnt(so_far, payoffs[:, MOVES.index(move)])
    return {"regrets": so_far.tolist(), "mix": matched(so_far).tolist()}
