"""Strategies to and from OpenSpiel's tabular policies; OpenSpiel itself is needed only when this is used.

Both trees are walked in lockstep, so that what is exchanged is known to be the same game: the same moves, the same
chances, the same payoffs. OpenSpiel tells suits apart. A strategy that does not gives every suited state the
probabilities of its set; on the way back, states that differ in suits alone are averaged, all with the same weight.

What goes through files is a *table*: information state as OpenSpiel writes it -> [[action, probability], ...].
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import Any

import numpy as np

from ludus.games.base import CHANCE, TERMINAL, Game
from ludus.games.definition import define
from ludus.games.matrix import MatrixGame
from ludus.games.poker import PokerGame
from ludus.solvers.strategy import Origin, Strategy
from ludus.trees.flat import estimate_nodes, flatten

Table = dict[str, list[list[Any]]]
MOST_NODES = 300_000
EXCHANGED = "matrix games, Kuhn, limit Leduc, and no-limit Leduc with bets 'pot,allin' or 'all' can be exchanged"


@dataclass(frozen=True)
class Pair:
    """An information state of both sides; actions correspond in their order."""

    player: int
    ours: str
    our_actions: tuple[int, ...]
    theirs: str
    their_actions: tuple[int, ...]


def to_table(strategy: Strategy) -> Table:
    """A strategy as a table; information sets that it does not know are played uniformly."""
    table: Table = {}
    for pair in pairs(strategy.game()):
        known = strategy.at(pair.player, pair.ours)
        if known and tuple(known) != pair.our_actions:
            raise ValueError(f"the actions of information set {pair.ours!r} are not those of the game")
        chances = known.values() if known else [1 / len(pair.our_actions)] * len(pair.our_actions)
        table[pair.theirs] = [list(row) for row in zip(pair.their_actions, chances, strict=True)]
    return table


def from_table(game: Game, table: Mapping[str, Sequence[Sequence[Any]]], origin: Origin | None = None) -> Strategy:
    """A strategy from a table that covers the game; actions that a state leaves out are not played there."""
    found: dict[tuple[int, str], list[tuple[float, ...]]] = {}
    for pair in pairs(game):
        if pair.theirs not in table:
            raise ValueError(f"the policy does not say what to do in {pair.theirs!r}")
        found.setdefault((pair.player, pair.ours), []).append(_chances(pair, table[pair.theirs]))
    if len(table) > sum(map(len, found.values())):
        raise ValueError(f"the policy has states that {game.name} does not have")
    sets = flatten(game).sets
    rows = [_mean(found[key]) for key in zip(sets.players.tolist(), sets.names, strict=True)]
    return Strategy(
        define(game), sets.players, sets.names, sets.offsets, sets.actions, sets.labels,
        np.array([chance for row in rows for chance in row]), origin or Origin("open_spiel"),
    )  # fmt: skip


def to_policy(strategy: Strategy) -> Any:
    """A strategy as an ``open_spiel.python.policy.TabularPolicy``."""
    policy = _module("open_spiel.python.policy").TabularPolicy(spiel_game(strategy.game()))
    for state, actions in to_table(strategy).items():
        row = policy.policy_for_key(state)
        row[:] = 0
        for action, chance in actions:
            row[action] = chance
    return policy


def from_policy(game: Game, policy: Any, origin: Origin | None = None) -> Strategy:
    """A strategy from an ``open_spiel.python.policy.TabularPolicy`` of the same game."""
    table = {
        state: [[action, chance] for action, chance in enumerate(policy.policy_for_key(state).tolist()) if chance]
        for state in policy.state_lookup
    }
    return from_table(game, table, origin)


def spiel_game(game: Game) -> Any:
    """OpenSpiel's version of a game, players moving one after the other; ValueError where there is none."""
    pyspiel = _module("pyspiel")
    if isinstance(game, MatrixGame):
        names = list(game.row_names), list(game.column_names)
        tables = [list(map(list, table)) for table in (game.row_payoffs, game.column_payoffs)]
        return pyspiel.convert_to_turn_based(pyspiel.create_matrix_game(game.name, game.name, *names, *tables))
    name = _spiel_name(game) if isinstance(game, PokerGame) and game.hole_cards == 1 else None
    if name is None:
        raise ValueError(f"OpenSpiel has no game like {game.name} with these rules: {EXCHANGED}")
    try:
        return pyspiel.load_game(name)
    except RuntimeError as error:
        raise ValueError(f"OpenSpiel cannot play {game.name} as {name}: {error}") from None


def _spiel_name(game: PokerGame) -> str | None:
    if game.betting == "limit" and game.board_cards == (0,):
        return f"kuhn_poker(players={game.players})"
    if game.betting == "limit" and game.board_cards == (0, 1):
        return f"leduc_poker(players={game.players})"
    if game.betting != "no-limit" or game.players != 2 or game.board_cards != (0, 1):
        return None
    if game.bets is None or len(game.bets.lists) > 1:
        return None
    unit, ranks = _unit(game), len({card // 4 for card in game.deck})
    blinds, stacks = (" ".join(str(chips // unit) for chips in seats) for seats in (game.blinds, game.stacks))
    return (
        f"universal_poker(betting=nolimit,numPlayers=2,numRounds=2,blind={blinds},firstPlayer=1 1,stack={stacks},"
        f"numSuits={len(game.deck) // ranks},numRanks={ranks},numHoleCards=1,numBoardCards=0 1,"
        f"bettingAbstraction={'fullgame' if game.bets.unit else 'fcpa'})"
    )


def _unit(game: Game) -> int:
    """How many of our chips one of theirs stands for: a game of multiples of a unit is played in units."""
    return (isinstance(game, PokerGame) and game.bets is not None and game.bets.unit) or 1


def pairs(game: Game) -> Iterator[Pair]:
    """The information states of both sides, each of theirs once; ValueError where the games turn out to differ."""
    if estimate_nodes(game.start()) > MOST_NODES:
        raise ValueError(f"{game.name} is too large to exchange with OpenSpiel")
    oracle, unit = spiel_game(game), _unit(game)
    seen: dict[str, Pair] = {}
    stack: list[tuple[Any, Any]] = [(game.start(), oracle.new_initial_state())]
    while stack:
        ours, theirs = stack.pop()
        mine, other = tuple(ours.legal_actions()), tuple(theirs.legal_actions())
        if not _alike(ours, theirs, unit):
            raise ValueError(f"{game.name} with these rules is not played as OpenSpiel plays it: {EXCHANGED}")
        if ours.player >= 0:
            text = theirs.information_state_string()
            pair = Pair(ours.player, ours.information_state(ours.player), mine, text, other)
            if text not in seen:
                seen[text] = pair
                yield pair
            elif seen[text] != pair:
                raise ValueError(f"{game.name} tells apart what OpenSpiel does not: {pair.ours!r}")
        stack.extend((ours.apply(a), theirs.child(b)) for a, b in reversed(list(zip(mine, other, strict=True))))


def _alike(ours: Any, theirs: Any, unit: int) -> bool:
    """Whether two states have the same player, number of actions, chances and payoffs."""
    if theirs.is_terminal() or ours.player == TERMINAL:
        over = theirs.is_terminal() and ours.player == TERMINAL
        return over and _near(ours.returns(), [unit * payoff for payoff in theirs.returns()])
    if len(ours.legal_actions()) != len(theirs.legal_actions()):
        return False
    if theirs.is_chance_node() or ours.player == CHANCE:
        chances = [[chance for _, chance in state.chance_outcomes()] for state in (ours, theirs)]
        return bool(theirs.is_chance_node()) and _near(*chances)
    return bool(ours.player == theirs.current_player())


def _near(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    return len(ours) == len(theirs) and all(abs(a - b) < 1e-9 for a, b in zip(ours, theirs, strict=True))


def _chances(pair: Pair, actions: Sequence[Sequence[Any]]) -> tuple[float, ...]:
    """The probabilities of a state's actions in our order."""
    try:
        given = {int(action): float(chance) for action, chance in actions}
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"a policy has pairs of action and probability, not {actions!r} in {pair.theirs!r}") from None
    if extra := [action for action, chance in given.items() if chance and action not in pair.their_actions]:
        raise ValueError(f"action {extra[0]} is not legal in {pair.theirs!r}")
    chances = tuple(given.get(action, 0.0) for action in pair.their_actions)
    if not all(isfinite(chance) and chance >= 0 for chance in chances) or abs(fsum(chances) - 1) > 1e-6:
        raise ValueError(f"the probabilities in {pair.theirs!r} are not above 0 with a sum of 1")
    return chances


def _mean(rows: list[tuple[float, ...]]) -> tuple[float, ...]:
    """The mean of several states' probabilities; where they agree, exactly what they agree on."""
    if all(row == rows[0] for row in rows):
        return rows[0]
    return tuple(fsum(column) / len(rows) for column in zip(*rows, strict=True))


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ValueError("OpenSpiel is not installed: pip install open_spiel") from None
