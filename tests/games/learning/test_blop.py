"""Blop: rewards of scripted games, the poison, the shortest safe way, and Gymnasium's own checks."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, deque

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games.learning.blop import MOVE_NAMES, MOVES, POISONED, Blop, BlopConfig, moved

UP_LEFT, UP_RIGHT, DOWN_LEFT, DOWN_RIGHT = (
    MOVE_NAMES.index(name) for name in ("up left", "up right", "down left", "down right")
)
DIAGONALS = (UP_LEFT, UP_RIGHT, DOWN_LEFT, DOWN_RIGHT)
ROUND_THE_ENEMY = (*(DOWN_RIGHT,) * 3, DOWN_LEFT, DOWN_RIGHT, DOWN_RIGHT, UP_RIGHT)


def play(env: Blop, moves: tuple[int, ...], seed: int = 0) -> list[tuple]:
    env.reset(seed=seed)
    return [env.step(move) for move in moves]


def shortest_way(config: BlopConfig, moves: tuple[int, ...]) -> tuple[int, ...]:
    """Breadth-first search for the exit that never touches the enemy."""
    start, goal, enemy = config.cells()
    ways, queue = {start: ()}, deque([start])
    while queue:
        cell = queue.popleft()
        for move in moves:
            target = moved(cell, move, config.size)
            if target not in ways and target != enemy:
                ways[target] = (*ways[cell], move)
                queue.append(target)
    return ways[goal]


def test_the_shortest_safe_way_by_diagonals_is_seven_moves_and_earns_13():
    way = shortest_way(BlopConfig(), DIAGONALS)
    assert len(way) == len(ROUND_THE_ENEMY) == 7
    for moves in (way, ROUND_THE_ENEMY):
        steps = play(Blop(), moves)
        assert [reward for _, reward, *_ in steps] == [-1.0] * 6 + [19.0]
        assert [over for _, _, over, *_ in steps] == [False] * 6 + [True]
    steps = play(Blop(BlopConfig(move_reward=0)), way)
    assert sum(reward for _, reward, *_ in steps) == 20.0  # the source's best total


def test_five_diagonals_hit_the_enemy_on_the_way():
    steps = play(Blop(), (DOWN_RIGHT,) * 4)
    assert [reward for _, reward, *_ in steps] == [-1.0, -1.0, -1.0, -301.0]
    assert [over for _, _, over, *_ in steps] == [False, False, False, True]
    aside = Blop(BlopConfig(enemy=(4, 5)))
    assert sum(reward for _, reward, *_ in play(aside, (DOWN_RIGHT,) * 5)) == 15.0


def test_image_shows_player_exit_and_enemy():
    image, info = Blop().reset(seed=1)
    assert info == {}
    assert image[0, 0].tolist() == [0, 0, 255]
    assert image[5, 5].tolist() == [0, 255, 0]
    assert image[4, 4].tolist() == [255, 0, 0]
    assert np.count_nonzero(image) == 3
    hit = play(Blop(), (DOWN_RIGHT,) * 4)[-1][0]
    assert hit[4, 4].tolist() == [255, 0, 0]
    assert np.count_nonzero(hit) == 2
    out = play(Blop(), ROUND_THE_ENEMY)[-1][0]
    assert out[5, 5].tolist() == [0, 0, 255]


def test_the_poisoned_moves_are_stay_and_the_straight_ones():
    assert [MOVE_NAMES[move] for move in sorted(POISONED)] == ["up", "left", "stay", "right", "down"]


@pytest.mark.parametrize("move", range(9))
def test_a_poisoned_move_is_uniform_and_a_diagonal_is_exact(move):
    env = Blop(BlopConfig(start=(2, 7)))
    made: Counter[int] = Counter()
    env.reset(seed=move)
    for _ in range(1800):
        env.reset()
        *_, info = env.step(move)
        made[info["move"]] += 1
        assert env.player == (2 + MOVES[info["move"]][0], 7 + MOVES[info["move"]][1])
    if move in DIAGONALS:
        assert made == {move: 1800}
    else:
        chi_square = sum((made[other] - 200) ** 2 / 200 for other in range(9))
        assert chi_square < 30  # 8 degrees of freedom: above 30 once in 5,000


def test_without_poison_every_move_does_what_it_says():
    env = Blop(BlopConfig(poison=False, start=(2, 7)))
    for move in range(9):
        (*_, info) = play(env, (move,))[0]
        assert info["move"] == move


@pytest.mark.parametrize(
    ("cell", "name", "expected"),
    [
        ((0, 0), "up left", (0, 0)),
        ((0, 3), "up left", (0, 2)),
        ((9, 9), "down right", (9, 9)),
        ((5, 9), "up right", (4, 9)),
        ((4, 4), "stay", (4, 4)),
    ],
)
def test_the_border_holds_a_coordinate(cell, name, expected):
    assert moved(cell, MOVE_NAMES.index(name), 10) == expected


def test_an_episode_is_cut_off():
    steps = play(Blop(BlopConfig(max_steps=5)), (UP_LEFT,) * 5)
    assert [(over, cut) for _, _, over, cut, _ in steps] == [(False, False)] * 4 + [(False, True)]
    assert sum(reward for _, reward, *_ in steps) == -5.0


def test_a_game_that_is_over_takes_no_more_moves():
    env = Blop()
    play(env, (DOWN_RIGHT,) * 4)
    with pytest.raises(ValueError, match="over"):
        env.step(0)
    env.reset()
    with pytest.raises(ValueError, match="0 to 8"):
        env.step(9)


@given(seed=st.integers(0, 2**31), moves=st.lists(st.integers(0, 8), min_size=1, max_size=30), moving=st.booleans())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_same_seed_same_game_and_totals_add_up(seed, moves, moving):
    config = BlopConfig(moving_enemy=moving)
    games = []
    for _ in range(2):
        env = Blop(config)
        env.reset(seed=seed)
        steps = []
        for move in moves:
            before, enemy = env.player, env.enemy
            image, reward, over, cut, info = env.step(move)
            assert env.player == moved(before, info["move"], 10)
            assert max(abs(env.enemy[0] - enemy[0]), abs(env.enemy[1] - enemy[1])) <= int(moving)
            assert env.enemy != env.exit
            assert reward == -1 + 20 * (env.player == env.exit) - 300 * (env.player == env.enemy)
            assert over == (env.player in (env.exit, env.enemy))
            steps.append((image.tobytes(), reward, over, cut, info["move"]))
            if over:
                break
        games.append(steps)
    assert games[0] == games[1]


def test_a_moving_enemy_can_leave_the_way_free_and_can_run_into_the_player():
    ends: Counter[tuple[float, int]] = Counter()
    for seed in range(300):
        env = Blop(BlopConfig(moving_enemy=True))
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, *_ = env.step(DOWN_RIGHT)
        ends[(reward, env.steps if reward > 0 else 0)] += 1
    assert set(ends) == {(19.0, 5), (-301.0, 0)}
    assert min(ends.values()) > 30


@pytest.mark.parametrize("config", [BlopConfig(), BlopConfig(moving_enemy=True), BlopConfig(size=6, poison=False)])
@pytest.mark.parametrize("mode", ["rgb_array", "ansi"])
@pytest.mark.filterwarnings("ignore:.*not having a spec.*")
def test_gymnasium_accepts_it(config, mode):
    env = Blop(config, render_mode=mode)
    check_env(env)
    env.reset(seed=0)
    shown = env.render()
    if mode == "ansi":
        assert Counter(shown)["P"] == Counter(shown)["E"] == Counter(shown)["X"] == 1
    else:
        assert np.array_equal(shown, env.image())


def test_it_can_be_registered_under_a_name():
    name = "ludus/Blop-v0"
    gymnasium.register(name, entry_point="ludus.games.learning.blop:Blop")
    try:
        with gymnasium.make(name, config=BlopConfig(max_steps=3), render_mode="ansi") as env:
            env.reset(seed=0)
            assert env.render().startswith("P....")
    finally:
        del gymnasium.registry[name]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 3}, "4 to 256"),
        ({"max_steps": 0}, "at least 2"),
        ({"enemy": (10, 0)}, "on the board"),
        ({"enemy": (0, 0)}, "three different"),
    ],
)
def test_a_wrong_configuration_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        BlopConfig(**change)


@pytest.mark.parametrize("module", ["blop", "environments"])
def test_without_gymnasium_the_import_says_what_to_install(module):
    code = f"import sys; sys.modules['gymnasium'] = None; import ludus.games; import ludus.games.learning.{module}"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "pip install 'ludus[envs]'" in result.stderr.strip().splitlines()[-1]


def test_the_games_do_not_import_the_extra():
    code = "import sys, ludus.games; sys.exit(bool({'gymnasium', 'pettingzoo'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
