"""Advice against opponents whose hands are known."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ludus.agents.exploiter import ExploitBounds
from ludus.agents.opponents import Prior, Profile, balanced_profile
from ludus.games import holdem
from ludus.teach import known_opponents as module
from ludus.teach.advice import Advice, Opponent
from ludus.teach.known_opponents import against_them, by_place, read_profiles
from paths import TESTS

HANDS = TESTS / "data" / "review"


def test_profiles_come_from_hands_by_name():
    profiles = read_profiles(HANDS / "six.phhs")
    assert len(profiles) >= 2
    few = read_profiles(HANDS / "six.phhs", most=1)
    assert all(few[name].hands <= profiles[name].hands for name in few)
    assert all(profile.hands == 1 for profile in few.values())


def test_seats_are_named_by_positions():
    profiles = read_profiles(HANDS / "heads_up.phhs")
    one, other = profiles
    game = holdem(players=6)
    assert by_place(profiles, [f"BTN={one}", f" SB = {other} "], game) == {5: profiles[one], 0: profiles[other]}
    for text in ("Anna", "BTN=", "XX=" + one, "BTN=Zoe"):
        with pytest.raises(ValueError, match=r"BTN=Anna|XX|'Zoe': they know"):
            by_place(profiles, [text], game)


@pytest.mark.parametrize("players", [2, 6, 9])
def test_a_player_is_measured_by_the_balanced_one_of_such_a_table(monkeypatch, players):
    priors = []
    monkeypatch.setattr(module, "choices_against", lambda maker, *_: priors.append(maker.prior) or ((), None))
    state = holdem(players=players).start().deal(range(52))
    held = Opponent(1 - state.player if players == 2 else 0, "SB", np.ones(1326), 1.0, 0.5)
    advice = Advice(state.seen_by(state.player), "blueprint", (), 0.5, 0.0, None, (), (held,), "", 0.0)
    usual = balanced_profile(players)
    against_them(advice, {held.seat: Profile(10 * usual.actions, hands=1000)}, None)
    [prior] = priors
    assert ExploitBounds().trust(Profile(10 * usual.actions), prior) == 0
    assert (
        players == 2 or ExploitBounds().trust(Profile(10 * usual.actions), Prior()) > 0.5
    )  # heads-up one plays otherwise


def test_history_and_names_go_together(ludus):
    code, _, error = ludus("advise", "heads-up, 100bb; hero BB AhKh; BTN r2.5bb", "--history", HANDS / "heads_up.phhs")
    assert code == 2
    assert "--opponent BTN=Anna" in error


@pytest.mark.slow
def test_the_second_mix_is_there_when_the_opponent_is_known(ludus):  # it builds the tables of the shipped buckets
    name = next(iter(read_profiles(HANDS / "heads_up.phhs")))
    code, out, _ = ludus(
        "advise", "heads-up, 100bb; hero BB AhKh; BTN r2.5bb", "--history", HANDS / "heads_up.phhs", "--opponent",
        f"BTN={name}", "--json",
    )  # fmt: skip
    assert code == 0
    assert sum(choice["chance"] for choice in json.loads(out)["exploiting"]) == pytest.approx(1)
