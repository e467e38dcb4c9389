"""Freeze-outs side by side for a learner, against one of the players that are compiled in ``freeze_outs``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents import ModelExpertAgent
from ludus.agents.base import Agent
from ludus.agents.expert.guesses import ACTIONS as GUESSES
from ludus.agents.expert.guesses import EXAMPLE, MODEL, longest_run, most_of_a_suit
from ludus.agents.expert.model import ActionModel
from ludus.agents.expert.rules import winning_share
from ludus.arena.freeze_outs import MODELLING, FoldingRandom, compiled_player, decide, note, watch
from ludus.arena.plan import MOST_GAME_HANDS
from ludus.cards.random import streams
from ludus.compiled import kernel
from ludus.files import Arrays
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND, RULES, act, new_hand, payoffs, raise_bounds, rules_of, shuffle
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame
from ludus.rl.lanes import Bools, Floats, Ints, Look
from ludus.rl.memories import Column
from ludus.rl.pictures import (
    BOARD,
    CHANNELS,
    EARLIER,
    LAST,
    NUMBERS,
    OWN,
    POT,
    PRICE,
    RUN,
    SHARE,
    SIZE,
    STREET,
    SUITED,
    THEIRS,
    pictures,
)  # fmt: skip

ACTIONS = 6  # as `DiscreteActions` has them: fold, call, the smallest raise, half the pot, the pot, all-in
FRACTIONS = np.array([0.0, 0.5, 1.0, 0.0])
CLOSED = -9
_DEALT = np.array([0, 3, 4, 5])
_SIMULATIONS = 100  # for the share of pots that a hand wins


class FreezeOutLanes:
    """Freeze-outs side by side. A reward is what was won since the last decision, in stacks.

    An episode is a whole game or, ``by_hand``, a hand of it: most games won and most chips by hand are not the same
    aim. ``ends`` are the games that are over.

    An opponent with a model of the learner has one for all lanes, and learns between decisions.
    """

    seats, actions = 1, ACTIONS
    row: Column = (NUMBERS,), np.float32
    inputs: tuple[int, ...] = (CHANNELS, SIZE, SIZE)

    def __init__(
        self, game: PokerGame, opponent: Agent | FoldingRandom, count: int, rng: np.random.Generator,
        by_hand: bool = False,
    ) -> None:  # fmt: skip
        if game.players != 2 or len(set(game.stacks)) > 1:
            raise ValueError("freeze-outs of a learner are between two players with equal stacks")
        self.game, self.count, self.rng, self.by_hand = game, count, rng, by_hand
        self._table = np.zeros(1, RULES)
        self._table[0] = rules_of(game)
        self.ends: list[tuple[int, int, int]] = []  # lane, chips at the end, hands
        self._random = streams(int(rng.integers(1 << 62)), 1)[0].copy()
        self._looks = np.zeros((count, NUMBERS), np.float32), np.full((count, ACTIONS), CLOSED)
        self.meet(opponent)

    def meet(self, opponent: Agent | FoldingRandom) -> None:
        """Begin new games against an opponent."""
        self.ends.clear()
        self._opponent, count = compiled_player(opponent), self.count
        self._model = opponent.model if isinstance(opponent, ModelExpertAgent) else ActionModel()
        self._rules, self._hands = np.repeat(self._table, count), np.zeros(count, HAND)
        self._decks = np.tile(np.arange(52, dtype=np.uint8), (count, 1))
        self._games = np.zeros(
            (count, 6), np.int64
        )  # both players' chips, hands, games, own last board, their last act
        self._hands["player"] = TERMINAL
        self._advance(np.full(count, CLOSED))

    def _advance(self, actions: Ints) -> tuple[NDArray[np.float64], Bools]:
        rewards, over = np.zeros((self.count, 1)), np.zeros(self.count, np.bool_)
        ends, ended, model = np.zeros((8 * self.count, 3), np.int64), np.zeros(1, np.int64), self._model
        seen = model.room(self.count)[model.count :]
        advance(
            self._table, self._opponent, self._rules, self._hands, self._decks, self._games, self._random, actions,
            *self._looks, rewards, over, ends, ended, model.record, seen, np.zeros(1, EXAMPLE), self.by_hand,
        )  # fmt: skip
        if self._opponent[0]["kind"] == MODELLING:
            model.count += int((actions != CLOSED).sum())
            model.learn()
        self.ends += [(int(lane), int(chips), int(hands)) for lane, chips, hands in ends[: ended[0]]]
        return rewards, over

    def look(self) -> Look:
        """The decisions that wait."""
        rows, offered = self._looks
        return Look(rows.copy(), offered != CLOSED, np.zeros(self.count, np.int64))

    def step(self, actions: Ints) -> tuple[NDArray[np.float64], Bools]:
        """Act in every lane; rewards are in stacks."""
        return self._advance(self._looks[1][np.arange(self.count), actions])

    def see(self, rows: NDArray[Any]) -> Floats:
        """[n, *inputs] The pictures."""
        return pictures(rows)

    def state(self) -> Arrays:
        """Where the lanes are, as whole numbers where they are records, and how games ended."""
        return {
            "rules": self._rules.view(np.int64), "hands": self._hands.view(np.int64), "decks": self._decks,
            "games": self._games, "random": self._random, "rows": self._looks[0], "offered": self._looks[1],
            "ends": np.array(self.ends, np.int64).reshape(-1, 3), "model": self._model.record.view(np.int64),
            "seen": self._model.examples[: self._model.count].view(np.uint8),
            "learnt": np.array([self._model.count, self._model.trained]),
        }  # fmt: skip

    def restore(self, arrays: Arrays) -> None:
        """Go on from there."""
        self._rules, self._hands = arrays["rules"].view(RULES), arrays["hands"].view(HAND)
        self._decks, self._games, self._random = arrays["decks"], arrays["games"], arrays["random"]
        self._looks = arrays["rows"], arrays["offered"]
        self.ends = [(int(lane), int(chips), int(hands)) for lane, chips, hands in arrays["ends"]]
        self._model.record[:], seen = arrays["model"].view(MODEL), arrays["seen"].view(EXAMPLE)
        self._model.count, self._model.trained = 0, int(arrays["learnt"][1])
        self._model.room(len(seen))[: len(seen)] = seen
        self._model.count = len(seen)


def play_tests(
    lanes: FreezeOutLanes, games: int, choose: Callable[[Look], Ints], progress: Callable[..., object]
) -> tuple[Ints, Ints]:
    """The ends [n, 3] of at least so many games, and how often each action was chosen in them [actions].

    There are as many games in every lane, so that short ones are not favoured.
    """
    each, done, played = -(-games // lanes.count), np.zeros(lanes.count, np.int64), np.zeros(ACTIONS, np.int64)
    while done.min() < each:
        actions = choose(lanes.look())
        played += np.bincount(actions[done < each], minlength=ACTIONS)
        lanes.step(actions)
        done = np.bincount([lane for lane, *_ in lanes.ends], minlength=lanes.count)
        progress(int(np.minimum(done, each).sum()), each * lanes.count, "games")
    first = [[end for end in lanes.ends if end[0] == lane][:each] for lane in range(lanes.count)]
    return np.array([end for lane in first for end in lane]), played


@kernel
def offers(rules: Any, hand: Any, out: NDArray[np.int64]) -> None:
    """What each action number comes to for the player to act, as ``DiscreteActions.at``; CLOSED where it is none."""
    bet = hand.bet[hand.player]
    out[:] = CLOSED
    out[1] = CALL
    if hand.top > bet:
        out[0] = FOLD
    low, high = raise_bounds(rules, hand)
    if high == 0:
        return
    for number in range(4):
        to = np.int64(hand.top + np.rint(FRACTIONS[number] * (hand.pot + hand.top - bet)))
        to = low if number == 0 else high if number == 3 else to
        new = low <= to <= high
        for before in range(number):
            new = new and out[2 + before] != to
        if new:
            out[2 + number] = to


@kernel
def show(
    rules: Any, hand: Any, deck: NDArray[np.uint8], earlier: int, last: int, random: NDArray[np.uint64], row: Floats
) -> None:
    """Fill a row with what the player to act sees."""
    seat, dealt = hand.player, _DEALT[hand.street]
    board, chips = deck[4 : 4 + dealt], 0.0
    for player in range(2):
        chips += rules.start[player]
    first, second = deck[2 * seat], deck[2 * seat + 1]
    row[0], row[1] = first, second
    for at in range(5):
        row[BOARD + at] = board[at] if at < dealt else -1
    share, random[0], random[1] = winning_share(first, second, board, 1, _SIMULATIONS, random[0], random[1])
    owed = min(hand.top - hand.bet[seat], hand.stack[seat])
    row[EARLIER], row[SHARE], row[PRICE] = earlier, share, owed / (hand.pot + owed)
    row[OWN], row[THEIRS], row[POT] = hand.stack[seat] / chips, hand.stack[1 - seat] / chips, hand.pot / chips
    row[RUN], row[SUITED] = longest_run(board) / 5, most_of_a_suit(board) / 5
    row[STREET], row[LAST] = hand.street / 3, last / 2


@kernel
def advance(
    table: Any, opponents: Any, ruled: Any, records: Any, decks: NDArray[np.uint8], games: NDArray[np.int64],
    random: NDArray[np.uint64], actions: Ints, rows: Floats, offered: NDArray[np.int64],
    rewards: NDArray[np.float64], over: Bools, ends: NDArray[np.int64], ended: NDArray[np.int64], models: Any,
    seen: Any, spares: Any, by_hand: bool,
) -> None:  # fmt: skip
    """Act for the learner in every lane, and play on until it is to act again: the opponent's turns, new hands.

    An action CLOSED is none: the lane begins. What an opponent with a model sees of the learner's decisions goes to
    ``seen``, one after the other. Rewards are of all hands that ended on the way, ``over`` says which games did; or,
    where an episode is a hand, both are of the hand in which the learner acted.
    """
    won, chances, stack = np.empty(10, np.float64), np.empty(GUESSES), table[0].start[0]
    noted = 0
    for lane in range(len(actions)):
        rules, hand, deck, game = ruled[lane], records[lane], decks[lane], games[lane]
        acted = actions[lane] != CLOSED
        if acted:
            game[4] = _DEALT[hand.street]
            if opponents[0].kind == MODELLING:
                example = seen[noted]
                watch(example, rules, hand, deck)
                note(models[0], example, actions[lane], chances)
                noted += 1
            act(rules, hand, actions[lane])
        begun = own = acted  # own: it is the hand in which the learner acted
        while True:
            turn = (game[2] + game[3]) % 2  # the player in seat 0: 0 is the learner
            if hand.player == TERMINAL:
                if begun:
                    payoffs(rules, hand, deck, won)
                    for seat in range(2):
                        game[turn ^ seat] += np.int64(won[seat])
                    if own or not by_hand:
                        rewards[lane, 0] += won[turn] / stack
                    over[lane] = over[lane] or (own and by_hand)
                    own = False
                    game[2] += 1
                    if min(game[0], game[1]) == 0 or game[2] == MOST_GAME_HANDS:
                        if ended[0] < len(ends):
                            ends[ended[0], 0], ends[ended[0], 1], ends[ended[0], 2] = lane, game[0], game[2]
                            ended[0] += 1
                        over[lane] = over[lane] or not by_hand
                        game[3] += 1
                        game[2] = 0
                if game[2] == 0:
                    game[0] = game[1] = stack
                begun, game[4], game[5] = True, 0, 0
                turn = (game[2] + game[3]) % 2
                for seat in range(2):
                    rules.start[seat] = game[turn ^ seat]
                    rules.blind[seat] = min(table[0].blind[seat], rules.start[seat])
                for card in range(52):
                    deck[card] = card
                random[0], random[1] = shuffle(deck, 9, random[0], random[1])
                new_hand(rules, hand)
            elif turn ^ hand.player == 0:
                break
            else:
                action, random[0], random[1] = decide(
                    opponents[0], rules, hand, deck, models[0], spares[0], random[0], random[1]
                )
                game[5] = 2 if action > 0 else 1
                act(rules, hand, action)
        offers(rules, hand, offered[lane])
        show(rules, hand, deck, game[4], game[5], random, rows[lane])
