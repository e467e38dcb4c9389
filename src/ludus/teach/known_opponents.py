"""What hand histories say about the opponents at a table, for the advice against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from ludus.agents.blueprint import AUTO, BlueprintAgent, load_blueprint
from ludus.agents.exploiter import BlueprintEvaluator, Exploiter
from ludus.agents.opponents import Prior, Profile, balanced_profile, read_hand
from ludus.arena.log import LOGS
from ludus.games import PokerGame, PokerState
from ludus.games.holdem import is_holdem
from ludus.protocols.histories import FORMATS, PlayedHand, Problem, files_in, read_file
from ludus.teach.advice import Advice, Choice
from ludus.teach.situation_facts import seat_of

ROLLOUTS = 2000  # hands that each action is played on from, with several opponents


def read_profiles(path: Path, most: int | None = None) -> dict[str, Profile]:
    """The profile of everybody in the hands of a file or folder, by name; of its first hands alone if so wanted.

    Hands that cannot be read, or are no hold'em, are passed over.
    """
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    profiles: dict[str, Profile] = {}
    for file in files_in(path):
        for found in islice(read_file(file, (*FORMATS, LOGS)), most):
            if isinstance(found, Problem) or not is_holdem(found.state.game):
                continue
            for name, profile in zip(found.players, read_hand(found.state), strict=True):
                profiles[name] = profiles[name] + profile if name in profiles else profile
    return profiles


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


def against_them(advice: Advice, known: dict[int, Profile], blueprint: str | None) -> Advice:
    """The advice, with the answer to opponents in the hand whose play is known."""
    if not known.keys() & {each.seat for each in advice.opponents}:
        return advice
    base = BlueprintAgent(load_blueprint(blueprint or AUTO, advice.state.game))
    others = {seat: profile for seat, profile in known.items() if seat != advice.seat}
    prior = Prior(balanced_profile(advice.state.game.players))
    exploiter = Exploiter(base, BlueprintEvaluator(base, ROLLOUTS), prior=prior)
    return replace(advice, exploiting=choices_against(exploiter, advice.state, others))


def choices_against(
    exploiter: Exploiter, observation: PokerState, profiles: Mapping[int, Profile]
) -> tuple[Choice, ...]:
    """What to do against opponents with profiles by seat."""
    mix, found = exploiter.answer(observation, profiles)
    return tuple(
        Choice(action, observation.action_name(action), mix.get(action, 0.0), found.value(action))
        for action in found.actions
    )
