"""Units of a match: hands, deals played from every seat, freeze-outs. Each is a function of the plan and its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ludus.agents.base import Agent, Event, learns
from ludus.arena.aivat.in_match import match_aivat
from ludus.arena.log import HandRecord, LoggedHand, chips, record
from ludus.arena.match_table import FinishedHand, MatchTable, ThinkingClock
from ludus.arena.plan import MatchPlan
from ludus.arena.tabular_match import TabularMatch
from ludus.cards.philox import Streams
from ludus.games.record import cards_text, retrace
from ludus.protocols.acpc.messages import seen_from


class MatchUnits:
    """Plays the units of a match, in any order unless somebody learns."""

    def __init__(self, plan: MatchPlan, agents: Sequence[Agent], left: list[float] | None = None) -> None:
        self.plan = plan
        self.clock = ThinkingClock(len(agents), plan.move_seconds, left)
        self.table = MatchTable(agents, self.clock)
        self.streams = Streams(plan.seed, plan.game.players)
        self.aivat = match_aivat(plan, agents)
        self.fast = TabularMatch.of(plan, agents, self.aivat)

    def play(self, first: int, count: int) -> list[list[HandRecord]]:
        """This many units from a number on."""
        if self.fast is not None:
            return self.fast.play(first, count)
        unit = self._freezeout if self.plan.freezeout else self._hands
        return [list(unit(number)) for number in range(first, first + count)]

    def _hands(self, unit: int) -> Iterator[HandRecord]:
        deck = self.plan.deck_rows(unit, 1)[0].tolist()
        for hand in range(self.plan.hands_per_unit):
            seating = self.plan.seating(unit, hand)
            rngs = self.streams.rewind(unit, hand)
            yield self._record(self.table.play(self.plan.game, seating, deck, rngs), seating)

    def _freezeout(self, unit: int) -> Iterator[HandRecord]:
        chips = list(self.plan.game.stacks)
        hand = 0
        while min(chips) > 0 and hand < self.plan.game_hands:
            seating = self.plan.seating(unit, hand)
            stacks = tuple(chips[player] for player in seating)
            game = replace(self.plan.game, stacks=stacks)
            deck = self.plan.deck_rows(unit, 1, hand)[0].tolist()
            played = self.table.play(game, seating, deck, self.streams.rewind(unit, hand))
            for player, won in zip(seating, played.state.returns(), strict=True):
                chips[player] += int(won)
            yield self._record(played, seating, stacks)
            hand += 1

    def _record(
        self, played: FinishedHand, seating: Sequence[int], stacks: tuple[int, ...] | None = None
    ) -> HandRecord:
        names, state, forfeits = self.plan.names, played.state, played.forfeits
        aivat = None if self.aivat is None else self.aivat.values(state, seating[0], bool(forfeits))
        sitting = tuple([names[player] for player in seating])
        gave_up = tuple([(names[forfeit.player], forfeit.reason) for forfeit in forfeits])
        return record(
            played.betting, cards_text(state), chips(state.returns()), sitting, stacks, aivat, gave_up
        )  # fmt: skip

    def remember(self, hand: LoggedHand) -> None:
        """Show a hand that was played before to those who learn from them."""
        players = [self.plan.names.index(name) for name in hand.names]
        agents = [(seat, self.table.agents[p]) for seat, p in enumerate(players) if learns(self.table.agents[p])]
        final = hand.state(self.plan.game)
        steps = list(retrace(final))
        states = [*(before for before, _ in steps), final]
        for seat, agent in agents:
            observe = agent.observe  # type: ignore[attr-defined]
            observe(Event(seat, seen_from(states[0], seat)))
            for (before, action), later in zip(steps, states[1:], strict=True):
                observe(Event(seat, seen_from(later, seat), before.player, action))
