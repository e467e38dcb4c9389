"""Laws that advice on any decision keeps, each as a function that says how it is broken, with no words if it is not."""

from collections.abc import Callable, Iterable
from copy import copy
from itertools import permutations
from math import hypot

from ludus.agents.evaluation import Estimate
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, PokerState
from ludus.teach.advice import Advice, Choice
from ludus.teach.review import GivesAdvice

ERRORS = 1.0  # standard errors that a value may be off by
SHOWN = 0.1  # of the mix: an action that is played as often may not be worse than the best
SAME = 0.01  # chances that differ by less are the same where suits are others
SUITS = tuple(permutations(range(4)))[1:]

Ask = Callable[[PokerState], Advice]
"""The same advice from somebody who was not asked before."""


def fold_is_worth_nothing(advice: Advice, ask: Ask) -> str:
    """A fold is worth 0 exactly."""
    wrong = [choice for choice in advice.choices if choice.action == FOLD and choice.value != (0.0, 0.0)]
    return _told(advice, wrong)


def no_check_loses(advice: Advice, ask: Ask) -> str:
    """No check is worth less than 0 by more than its error: who checks may fold later."""
    free = not advice.state.to_call()
    return _told(
        advice,
        [
            choice
            for choice in advice.choices
            if free and choice.action == CALL and choice.value.mean < -ERRORS * choice.value.error - _grain(advice)
        ],
    )


def nothing_shown_is_worse(advice: Advice, ask: Ask) -> str:
    """No action that is shown with a tenth or more lies below the best by more than its error."""
    lost = [(choice, loss(advice, choice)) for choice in advice.choices if choice.chance >= SHOWN]
    return _told(advice, [choice for choice, less in lost if less.mean > ERRORS * less.error + _grain(advice)])


def the_best_is_what_it_is_worth(advice: Advice, ask: Ask) -> str:
    """The mix is worth as much as the best action, but for the error, and the best is never worth less than 0."""
    lost = [(choice.chance, loss(advice, choice)) for choice in advice.choices]
    behind, error = (sum(chance * less[at] for chance, less in lost) for at in (0, 1))
    best = advice.best.value
    if behind > ERRORS * error + _grain(advice):
        return f"the mix loses {behind:.1f} +- {error:.1f}: {_told(advice, advice.choices)}"
    return _told(advice, [advice.best]) if best.mean < -ERRORS * best.error - _grain(advice) else ""


def suits_do_not_matter(advice: Advice, ask: Ask) -> str:
    """Other suits for all cards, and the mix is the same."""
    held = sum(card + 1 for card in advice.state.hole(advice.state.player))
    other = ask(with_suits(advice.state, SUITS[held % len(SUITS)]))
    mixes = [{choice.action: choice.chance for choice in each.choices} for each in (advice, other)]
    same = mixes[0].keys() == mixes[1].keys() and all(abs(mixes[0][at] - mixes[1][at]) <= SAME for at in mixes[0])
    return "" if same else f"{_told(advice, advice.choices)}; other suits: {_told(other, other.choices)}"


def it_is_said_again(advice: Advice, ask: Ask) -> str:
    """The same decision gets the same advice."""
    other = ask(advice.state)
    same = (advice.choices, advice.source, advice.equity) == (other.choices, other.source, other.equity)
    return "" if same else f"{_told(advice, advice.choices)}; again: {_told(other, other.choices)}"


Law = Callable[[Advice, Ask], str]
LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (
        fold_is_worth_nothing, no_check_loses, nothing_shown_is_worse, the_best_is_what_it_is_worth,
        suits_do_not_matter, it_is_said_again,
    )
}  # fmt: skip


def breaches(
    states: Iterable[PokerState], laws: Iterable[str], adviser: GivesAdvice, again: GivesAdvice
) -> dict[str, list[str]]:
    """How each law is broken, decision by decision; ``again`` is another adviser of the same kind."""
    found: dict[str, list[str]] = {name: [] for name in laws}
    for state in states:
        advice = adviser.advise(state)
        for name, broken in found.items():
            if said := LAWS[name](advice, again.advise):
                broken.append(said)
    return found


def loss(advice: Advice, choice: Choice) -> Estimate:
    """What an action loses against the best of all, played or not, by the difference itself where that is known."""
    if choice.behind is not None:
        return choice.behind
    best = max(each.value for each in advice.choices)
    if choice.value == best:
        return Estimate(0.0)
    return Estimate(best.mean - choice.value.mean, hypot(best.error, choice.value.error))


def with_suits(state: PokerState, suits: tuple[int, ...]) -> PokerState:
    """The same decision with every suit replaced by another."""
    new = copy(state)
    new.cards = tuple(card if card == HIDDEN else card // 4 * 4 + suits[card % 4] for card in state.cards)
    return new


def _grain(advice: Advice) -> float:
    """What rounding may do, in chips."""
    return 1e-6 * advice.state.pot


def _told(advice: Advice, choices: Iterable[Choice]) -> str:
    """Choices of a decision in a line, none as no words."""
    each = [f"{c.name} {c.chance:.1%} at {c.value.mean:.1f} +- {c.value.error:.1f}" for c in choices]
    best, state = advice.best, advice.state
    where = f"{state.game.players} players, {state.information_state(state.player)}, pot {state.pot}, {advice.source}"
    return f"{', '.join(each)}; best {best.name} at {best.value.mean:.1f} ({where})" if each else ""
