"""Hands against Slumbot, one after the other, each in the log before the next."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import index

import numpy as np

from ludus.agents.base import Agent, Event, Observer, learns
from ludus.cards.card import format_cards, parse_cards
from ludus.games.base import TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import STREETS, PokerState
from ludus.games.record import retrace
from ludus.protocols.slumbot.actions import move_text
from ludus.protocols.slumbot.answers import Answer, follow, read_answer, state_of
from ludus.protocols.slumbot.client import LONGEST_WAIT, Client
from ludus.protocols.slumbot.log import Hand, Log
from ludus.protocols.slumbot.wire import MismatchError, RefusedError, SlumbotError

MOST_FAULT = 200  # characters of an agent's error that are kept


def play_hands(agent: Agent, client: Client, log: Log, hands: int, seed: int) -> Iterator[Hand]:
    """Play until the log has this many finished hands; yields each hand, finished or broken, once it is in the log.

    Every hand has its own generator, made from the seed and its number, so a stopped run resumes as if it had never
    stopped. A ``SlumbotError`` ends the run when the server's answers contradict the rules, when it no longer answers,
    or when too many hands in a row break.
    """
    _remind(agent, log)
    broken = 0
    while log.finished < hands and not client.stop():
        table = _Table(agent, client, len(log.hands) + 1, seed)
        error: BaseException | None = None
        try:
            table.play()
        except (SlumbotError, KeyboardInterrupt) as failure:
            error = failure
            client.drop()
        if error is None or table.begun:
            log.append(table.hand(error))
            yield log.hands[-1]
        broken = broken + 1 if error else 0
        if error and (not table.begun or isinstance(error, MismatchError | KeyboardInterrupt)):
            raise error
        if broken == client.settings.most_broken:
            raise SlumbotError(f"gave up after {broken} broken hands in a row, the last: {error}")
        if log.finished < hands:
            wait = min(client.settings.wait * 2 ** (broken - 1), LONGEST_WAIT) if broken else 0.0
            client.nap(max(client.settings.pause, wait))


@dataclass
class _Table:
    """One hand being played, and what is to be remembered of it."""

    agent: Agent
    client: Client
    number: int
    seed: int
    begun: bool = False  # the server may have dealt, so leaving now breaks a hand
    answer: Answer | None = None
    told: int = 0  # events that the agent has been told of, the deal being the first
    seconds: list[float] = field(default_factory=lambda: [0.0] * len(STREETS))
    decisions: list[int] = field(default_factory=lambda: [0] * len(STREETS))
    faults: list[str] = field(default_factory=list)
    retries: int = 0

    def play(self) -> None:
        """From the deal to the winnings."""
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(self.number,)))
        state = self._deal()
        while state.player != TERMINAL:
            assert self.answer is not None
            action = self._decide(state.seen_by(state.player), rng)
            data = self.client.act(move_text(state, action))
            try:
                answer = read_answer(data)
                state = follow(answer, self.answer, state.apply(action))
            except ValueError as error:
                raise MismatchError(f"Slumbot's answer cannot be right: {error}") from None
            self.answer = answer
            self._tell(state)

    def _deal(self) -> PokerState:
        before = self.client.retries
        try:
            data = self.client.deal()
        except (RefusedError, MismatchError):
            self.begun = True
            raise
        finally:
            self.retries = self.client.retries - before
        self.begun = True
        try:
            answer = read_answer(data)
            state = state_of(answer)
            if any(at.player == answer.position for at, _ in retrace(state)):
                raise ValueError(f"a new hand begins with {answer.action!r}, which has an action of ours")
        except ValueError as error:
            raise MismatchError(f"Slumbot's answer cannot be right: {error}") from None
        self.answer = answer
        self._tell(state)
        return state

    def _decide(self, observation: PokerState, rng: np.random.Generator) -> int:
        """The agent's action; where it fails, a check if that is free, otherwise a fold."""
        street, start = observation.street, time.perf_counter()
        try:
            action = index(self.agent.act(observation, rng))
            observation.apply(action)
        except Exception as error:  # whatever an agent does, the run continues
            self._note(error)
            action = FOLD if observation.to_call() else CALL
        self.seconds[street] += time.perf_counter() - start
        self.decisions[street] += 1
        return action

    def _tell(self, state: PokerState) -> None:
        """Tell an agent that listens what has happened since the last time."""
        assert self.answer is not None
        if isinstance(self.agent, Observer):
            news = events(state, self.answer.position)[self.told :]
            self.told += len(news)
            for error in _observe(self.agent, news):
                self._note(error)

    def _note(self, error: Exception) -> None:
        text = f"{error}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        self.faults.append(" ".join(text.split())[:MOST_FAULT])

    def hand(self, error: BaseException | None) -> Hand:
        """What is kept of the hand."""
        answer, broken = self.answer, None
        if error is not None and (answer is None or answer.winnings is None):  # otherwise it was already over
            broken = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
        return Hand(
            number=self.number, broken=broken, position=answer.position if answer else None,
            action=answer.action if answer else "", hole=format_cards(answer.hole) if answer else "",
            board=format_cards(answer.board) if answer else "",
            bot=format_cards(answer.bot or ()) if answer else "", winnings=answer.winnings if answer else None,
            baseline=answer.baseline if answer else None, seconds=tuple(round(s, 6) for s in self.seconds),
            decisions=tuple(self.decisions), retries=self.retries, faults=tuple(self.faults),
        )  # fmt: skip


def events(state: PokerState, seat: int) -> list[Event]:
    """Everything a seat has seen of a hand so far: the deal and every action; at a showdown the other hand, too."""
    steps = list(retrace(state))
    after = [at for at, _ in steps] + [state]
    showdown = state.player == TERMINAL and len(state.live_seats()) > 1
    views = [at.seen_by(seat) for at in after[:-1]] + [state if showdown else state.seen_by(seat)]
    acted = [Event(seat, view, at.player, action) for view, (at, action) in zip(views[1:], steps, strict=True)]
    return [Event(seat, views[0]), *acted]


def _observe(agent: Observer, news: Sequence[Event]) -> list[Exception]:
    """Tell an agent about some events; returns the errors it raised."""
    errors: list[Exception] = []
    for event in news:
        try:
            agent.observe(event)
        except Exception as error:
            errors.append(error)
    return errors


def _remind(agent: Agent, log: Log) -> None:
    """Tell an agent that learns about the hands that are already in the log."""
    if not (isinstance(agent, Observer) and learns(agent)):
        return
    for hand in log.hands:
        if hand.broken is None and hand.position is not None:
            hole, board, bot = (parse_cards(text) for text in (hand.hole, hand.board, hand.bot))
            answer = Answer(hand.action, hand.position, hole, board, bot or None, hand.winnings, None)
            _observe(agent, events(state_of(answer), hand.position))
