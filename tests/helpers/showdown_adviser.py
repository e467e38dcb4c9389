"""An adviser whose values can be worked out by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ludus.agents.evaluation import Estimate
from ludus.cards.card import format_cards
from ludus.cards.equity import as_range, equity
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.teach.advice import Advice, Choice


@dataclass
class ShowdownAdviser:
    """As if all the others held any cards and went to the showdown with whatever they are asked to pay."""

    error: float = 0.0
    mix: dict[int, float] = field(default_factory=dict)
    seen: list[PokerState] = field(default_factory=list)

    def advise(self, observation: PokerState, also: Sequence[int] = ()) -> Advice:
        self.seen.append(observation)
        seat, moves = observation.player, observation.legal_actions()
        assert all(action in moves for action in also)
        share = self.equity(observation)
        actions = sorted({*([FOLD] if moves.fold else []), CALL, *moves.raises[-1:], *also})
        values = {action: self.value(observation, action, share) for action in actions}
        best = max(values, key=lambda action: values[action])
        mix = self.mix or {best: 1.0}
        choices = tuple(
            Choice(action, observation.action_name(action), mix.get(action, 0.0), Estimate(value, self.error))
            for action, value in values.items()
        )
        odds = observation.to_call() / (observation.pot + observation.to_call())
        explanation = f"seat {seat} goes to the showdown with {share:.0%}"
        return Advice(observation, "showdown", choices, share, odds, None, (), (), explanation, 0.0)

    @staticmethod
    def equity(observation: PokerState) -> float:
        return _equity(observation.hole(observation.player), observation.board, len(observation.live_seats()) - 1)

    @staticmethod
    def value(state: PokerState, action: int, share: float) -> float:
        if action == FOLD:
            return 0.0
        top = max(*state.bets, action)
        adds = {seat: min(top - state.bets[seat], state.stacks[seat]) for seat in state.live_seats()}
        return share * (state.pot + sum(adds.values())) - adds[state.player]


@lru_cache
def _equity(hand: tuple[int, ...], board: tuple[int, ...], others: int) -> float:
    drawn = {} if board and others == 1 else {"samples": 500}
    return equity([as_range(format_cards(hand)), *[as_range("random")] * others], board, **drawn).equity[0]
