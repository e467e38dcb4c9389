"""What hand histories say about the opponents at a table, for the advice against them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from ludus.agents.blueprint import AUTO, BlueprintAgent, load_blueprint
from ludus.agents.evaluation import Estimate
from ludus.agents.exploiter import BlueprintEvaluator, Exploiter
from ludus.agents.opponents import Prior, Profile, balanced_profile, expected_mean, kinds_evidence, read_hand
from ludus.arena.hand_files import ALL_FORMATS, existing_files
from ludus.games import PokerGame, PokerState
from ludus.games.holdem import is_holdem
from ludus.protocols.histories import PlayedHand, Problem, read_file
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.teach.advice import Advice, Choice
from ludus.teach.situation_facts import seat_of

ROLLOUTS = 2000  # hands played on from each action, with several opponents


def read_profiles(path: Path, most: int | None = None) -> dict[str, Profile]:
    """The profile of everybody in the hands of a file or folder, by name; of its first hands only if asked for.

    Hands that cannot be read, or are not hold'em, are passed over.
    """
    found = (hand for file in existing_files(path) for hand in islice(read_file(file, ALL_FORMATS), most))
    hands = (hand for hand in found if not isinstance(hand, Problem) and is_holdem(hand.state.game))
    return added_up((hand.players, read_hand(hand.state)) for hand in hands)


def added_up(hands: Iterable[tuple[Sequence[str], Sequence[Profile]]]) -> dict[str, Profile]:
    """The profiles of everybody in some hands, by name, from the names and profiles of the seats of each hand."""
    profiles: dict[str, Profile] = {}
    for names, seats in hands:
        for name, profile in zip(names, seats, strict=True):
            profiles[name] = profiles[name] + profile if name in profiles else profile
    return profiles


@dataclass(frozen=True)
class Habit:
    """What a player did in one kind of decisions, beside what the balanced player does in them."""

    street: int
    bets: int  # and raises on the street before: 0, 1, or 2 for more
    chances: int
    done: tuple[float, ...]  # shares of folds, checks and calls, bets and raises
    balanced: tuple[float, ...]


def habits(profile: Profile, prior: Prior, most: int = 6, least: int = 5) -> list[Habit]:
    """The kinds of decisions in which a player differs most surely from the balanced one, with chances enough."""
    found, kinds = [], kinds_evidence(profile, prior)
    for street, bets in sorted(np.ndindex(kinds.shape), key=lambda kind: -kinds[kind]):
        counts = profile.actions[street, bets]
        if (chances := int(counts.sum())) >= least and kinds[street, bets] > 0:
            balanced = expected_mean(profile, prior, (street, bets))
            done = counts / chances, balanced / balanced.sum()
            found.append(Habit(street, bets, chances, *(tuple(shares.tolist()) for shares in done)))
    return found[:most]


def by_place(profiles: dict[str, Profile], names: Sequence[str], game: PokerGame) -> dict[int, Profile]:
    """The profiles of seats from texts such as 'BTN=Anna'; ValueError for names that nobody has."""
    found = {}
    for text in names:
        place, equals, name = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise ValueError(f"an opponent is a position and a name, as in BTN=Anna, got {text[:40]!r}")
        if name not in profiles:
            known = ", ".join(sorted(profiles)[:20]) or "nobody"
            raise ValueError(f"the hands do not know {name[:40]!r}: they know {known}")
        found[seat_of(place, game)] = profiles[name]
    return found


def by_seat(profiles: dict[str, Profile], hand: PlayedHand) -> dict[int, Profile]:
    """The profiles of the seats of a hand that was played, as far as its players are known."""
    return {seat: profiles[name] for seat, name in enumerate(hand.players) if name in profiles}


def against_them(advice: Advice, known: Mapping[int, Profile], blueprint: str | None = None) -> Advice:
    """The advice, with its mix moved against opponents in the hand whose play is known, and what that gains."""
    others = {each.seat: known[each.seat] for each in advice.opponents if each.seat in known}
    if not others:
        return advice
    exploiter = _exploiter(load_blueprint(blueprint or AUTO, advice.state.game), advice.state.game.players)
    balanced = {choice.action: choice.chance for choice in advice.choices if choice.chance > 0}
    choices, gain = choices_against(exploiter, advice.state, others, balanced)
    return replace(
        advice,
        exploiting=choices,
        exploiting_gain=gain,
        exploiting_hands=min(profile.hands for profile in others.values()),
    )


@lru_cache(maxsize=4)  # it remembers what the blueprint does
def _exploiter(blueprint: Blueprint, players: int) -> Exploiter:
    base = BlueprintAgent(blueprint)
    return Exploiter(base, BlueprintEvaluator(base, ROLLOUTS), prior=Prior(balanced_profile(players)))


def choices_against(
    exploiter: Exploiter,
    observation: PokerState,
    profiles: Mapping[int, Profile],
    balanced: Mapping[int, float] | None = None,
) -> tuple[tuple[Choice, ...], Estimate | None]:
    """What to do against opponents with profiles by seat, and what it wins more than a balanced mix, if that is clear.

    The balanced mix is the exploiter's own unless another is given.
    """
    balanced = balanced or exploiter.balanced(observation)
    mix, found = exploiter.answer(observation, profiles, balanced)
    choices = tuple(
        Choice(action, observation.action_name(action), mix.get(action, 0.0), found.value(action))
        for action in found.actions
    )
    return choices, found.gain(mix, balanced) if mix != balanced else None
