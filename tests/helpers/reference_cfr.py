"""Counterfactual regrets by plain recursion over the rules: slow, obvious, and independent of the flat arrays."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ludus.games import CHANCE, TERMINAL, Game
from ludus.trees.flat import FlatGame

Profile = dict[tuple[int, str], np.ndarray]


def random_profile(flat: FlatGame, seed: int, zeros: float = 0.2) -> Profile:
    """Random probabilities for every information set, some of them exactly 0."""
    rng = np.random.default_rng(seed)
    sets, profile = flat.sets, {}
    for at, key in enumerate(zip(sets.players.tolist(), sets.names, strict=True)):
        size = int(sets.offsets[at + 1] - sets.offsets[at])
        chances = rng.random(size) * (rng.random(size) > zeros)
        if not chances.any():
            chances[rng.integers(size)] = 1
        profile[key] = chances / chances.sum()
    return profile


def as_table(flat: FlatGame, profile: Profile) -> np.ndarray:
    """A profile as a table by_action."""
    table, sets = np.zeros(flat.entries), flat.sets
    table[sets.by_action] = np.concatenate(
        [profile[key] for key in zip(sets.players.tolist(), sets.names, strict=True)]
    )
    return table


def from_table(flat: FlatGame, table: np.ndarray, order: str = "by_action") -> Profile:
    """The numbers of a table by information set."""
    sets = flat.sets
    parts = np.split(table[getattr(sets, order)], sets.offsets[1:-1])
    return dict(zip(zip(sets.players.tolist(), sets.names, strict=True), parts, strict=True))


def expected_value(game: Game, profile: Profile) -> np.ndarray:
    """What each player wins on average."""

    def value(state) -> np.ndarray:
        if state.player == TERMINAL:
            return np.array(state.returns())
        if state.player == CHANCE:
            return sum(chance * value(state.apply(action)) for action, chance in state.chance_outcomes())
        chances = profile[state.player, state.information_state(state.player)]
        return sum(
            chance * value(state.apply(action)) for action, chance in zip(state.legal_actions(), chances, strict=True)
        )

    return value(game.start())


def immediate_regrets(game: Game, profile: Profile) -> tuple[Profile, Profile]:
    """Per information set: counterfactual regrets, and own reach times chance's reach times the probabilities.

    With three players or more the latter is what a walk sees in which the others move at random.
    """
    regrets, averages = defaultdict(float), defaultdict(float)

    def walk(state, reach: np.ndarray, chance: float, moves: np.ndarray) -> np.ndarray:
        if state.player == TERMINAL:
            return np.array(state.returns())
        if state.player == CHANCE:
            return sum(p * walk(state.apply(a), reach, chance * p, moves) for a, p in state.chance_outcomes())
        player = state.player
        key = player, state.information_state(player)
        values = []
        for action, probability in zip(state.legal_actions(), profile[key], strict=True):
            below, random = reach.copy(), moves.copy()
            below[player] *= probability
            random[player] /= len(profile[key])
            values.append(walk(state.apply(action), below, chance, random))
        values = np.array(values)
        mean = profile[key] @ values
        others = np.prod(np.delete(reach, player)) * chance
        regrets[key] = regrets[key] + others * (values[:, player] - mean[player])
        met = np.prod(np.delete(moves, player)) if game.players > 2 else 1.0
        averages[key] = averages[key] + chance * met * reach[player] * profile[key]
        return mean

    walk(game.start(), np.ones(game.players), 1.0, np.ones(game.players))
    return dict(regrets), dict(averages)
