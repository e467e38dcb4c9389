"""What a decision cost against the advice, and the grade that it gets for it."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from ludus.agents.evaluation import Estimate
from ludus.games.moves import FOLD
from ludus.games.names import place_names, street_name
from ludus.games.poker import PokerState
from ludus.teach.advice import Advice, Choice
from ludus.teach.figures import ChoiceFigures, Figures

GRADES = ("best", "fine", "inaccuracy", "mistake", "blunder")
ERRORS = GRADES[2:]


@dataclass(frozen=True, slots=True)
class GradingRule:
    """How decisions are graded.

    The difference between what the advised mix is worth and the action taken is certain when it is more than
    ``certain`` standard errors, those of both estimates taken as independent, which is the careful side where they
    share their deals. An uncertain difference, and an action that the mix plays at least ``often`` of the time, costs
    nothing and is best (the most played action) or fine. Otherwise the difference is the loss. It is an inaccuracy, a
    mistake or a blunder from these ``limits`` on: big blinds and a share of the pot, whichever is more; below the first
    it is fine. What is worth no less than the mix is always best.

    >>> GradingRule().grade(0.3, pot=1.5), GradingRule().grade(0.3, pot=20), GradingRule().grade(0.3, pot=50)
    ('mistake', 'inaccuracy', 'fine')
    """

    certain: float = 2.0
    often: float = 0.1
    limits: tuple[tuple[float, float], ...] = ((0.05, 0.01), (0.25, 0.05), (1.0, 0.15))

    def __post_init__(self) -> None:
        if not (self.certain >= 0 and 0 < self.often <= 1):
            raise ValueError(f"a rule needs standard errors and a share of 0 to 1, got {self.certain}, {self.often}")
        columns = list(zip(*self.limits, strict=True))
        if len(self.limits) != len(ERRORS) or any(list(column) != sorted(column) for column in columns):
            raise ValueError(f"there are limits for {', '.join(ERRORS)}, none below the one before, got {self.limits}")

    def grade(self, loss: float, pot: float) -> str:
        """The grade of a certain loss in a pot, both in big blinds."""
        return GRADES[1 + sum(loss >= max(blinds, share * pot) for blinds, share in self.limits)]

    def verdict(self, difference: float, error: float, chance: float, most: float, pot: float) -> tuple[str, float]:
        """The grade of an action and what of its difference to the advised mix counts as a loss.

        ``chance`` is how often the advice plays it, ``most`` how often the action that it plays most; the rest is in
        big blinds.
        """
        certain = difference > self.certain * error
        if difference == 0:
            return "best", 0.0
        if not certain or chance >= self.often:
            return ("best" if not certain and 0 < chance == most else "fine"), 0.0
        return self.grade(difference, pot), difference

    def in_words(self) -> str:
        """The rule for people, in a few sentences."""
        limits = ", ".join(
            f"{name} {blinds:g} bb and {share:.0%} of the pot".replace("%", " %")
            for name, (blinds, share) in zip(ERRORS, self.limits, strict=True)
        )
        return (
            f"A loss is the value of the advised mix less that of the action taken, in big blinds. A difference of no "
            f"more than {self.certain:g} standard errors costs nothing, nor does an action that the advice plays at "
            f"least {100 * self.often:g} % of the time: they are best or fine. Grades from: {limits}, whichever is "
            f"more; less is fine."
        )


STANDARD = GradingRule()


@dataclass(frozen=True, eq=False, slots=True)
class GradedDecision:
    """One action that was taken, with its grade and what the advice says. Amounts are big blinds."""

    hand: int | str
    step: int  # number of the action in the hand
    player: str
    state: PokerState  # as the player saw it
    action: int
    grade: str
    difference: float  # between the advised mix and this action
    error: float  # its standard error
    loss: float  # what of it counts
    figures: Figures
    explanation: str

    @property
    def choices(self) -> tuple[ChoiceFigures, ...]:
        """What could be done."""
        return self.figures.choices

    @property
    def equity(self) -> float:
        """Of the hand against all opponents at once."""
        return self.figures.equity

    @property
    def best(self) -> ChoiceFigures:
        """The choice of the highest value among those that the advice plays."""
        return self.figures.best

    @property
    def chance(self) -> float:
        """How often the advice plays this action."""
        return sum(choice.chance for choice in self.choices if choice.action == self.action)

    @property
    def street(self) -> str:
        """Pre-flop, flop, turn or river."""
        return street_name(self.state.game, self.state.street)

    @property
    def place(self) -> str:
        """What players call the seat."""
        return place_names(self.state.game)[self.state.player]

    @property
    def cards(self) -> tuple[int, ...]:
        """What the player held."""
        return self.state.hole(self.state.player)

    def name(self, action: int | None = None) -> str:
        """An action of this decision, the one taken if none is given, in big blinds."""
        return in_blinds(self.state, self.action if action is None else action)


def in_blinds(state: PokerState, action: int) -> str:
    """The name of an action with its chips as big blinds.

    >>> from ludus.games import holdem
    >>> in_blinds(holdem().start().deal(range(52)), 5)
    'raise to 2.5 bb'
    """
    unit = state.game.big_blind
    return state.phrase(action).text(lambda chips: f"{round(chips / unit, 2):g} bb")


def graded(
    hand: int | str,
    step: int,
    player: str,
    observation: PokerState,
    action: int,
    advice: Advice,
    rule: GradingRule = STANDARD,
) -> GradedDecision:
    """The grade of an action that was taken where this advice holds; ValueError when the advice does not value it."""
    figures, unit = Figures.of(advice), observation.game.big_blind
    best, taken = advice.best, _taken(advice, action)
    difference = max(0.0, advice.worth - taken.value.mean) / unit
    error = (hypot(best.value.error, taken.value.error) if taken.behind is None else taken.behind.error) / unit
    most = max(choice.chance for choice in advice.choices)
    grade, loss = rule.verdict(difference, error, taken.chance, most, observation.pot / unit)
    return GradedDecision(
        hand, step, player, observation, action, grade, difference, error, loss, figures, advice.explanation
    )  # fmt: skip


def _taken(advice: Advice, action: int) -> Choice:
    name = advice.state.action_name(action)
    for choice in advice.choices:
        if choice.action == action:
            return choice
    if action == FOLD:  # where checking was free, which no advice offers
        return Choice(FOLD, name, 0.0, Estimate(0.0))
    raise ValueError(f"the advice does not say what {name} is worth")
