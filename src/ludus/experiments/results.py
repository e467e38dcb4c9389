"""Every table and figure of the sources: which command makes it again, and why ours may differ from theirs."""

from __future__ import annotations

from dataclasses import dataclass

from ludus.experiments import sources


@dataclass(frozen=True)
class Entry:
    """What a source shows, the words after ``ludus reproduce`` for it (quick: empty if it has no small form)."""

    source: str
    shows: str
    quick: str
    full: str
    differs: str

    @property
    def name(self) -> str:
        """The experiment."""
        return self.full.split()[0]

    def words(self, quick: bool) -> str:
        """What to type after ``ludus reproduce``."""
        return self.quick if quick else self.full


@dataclass(frozen=True)
class Missing:
    """What a source shows and no experiment makes again."""

    source: str
    shows: str
    why: str


JOPPI = (
    Entry(
        sources.JOPPI_WENSING_IN_FULL, "Table 1: rock-paper-scissors against oneself",
        "rps-selfplay --repeats 5", "rps-selfplay",
        "No difference beyond chance: the spread over seeds covers what the source printed.",
    ),
    Entry(
        sources.JOPPI_WENSING_IN_FULL, "Table 2: rock-paper-scissors against an opponent who prefers scissors",
        "rps-fixed --repeats 5", "rps-fixed",
        "Both end at rock. How fast depends on how much the opponent prefers scissors, which the source does not say.",
    ),
    Entry(
        sources.JOPPI_WENSING_IN_FULL, "Table 3: rock-paper-scissors, double with scissors",
        "rps-doubled --repeats 5", "rps-doubled",
        "The source is further from the theory than our runs spread: it draws both actions, ours only the opponent's.",
    ),
    Entry(
        sources.JOPPI_WENSING_IN_FULL, "Tables 4 and 5: Kuhn poker by CFR", "kuhn-cfr", "kuhn-cfr",
        "What the source calls CFR draws the cards, so it is as rough as our chance sampling; CFR over all deals is "
        "far nearer to an equilibrium. Alpha is free, so two equilibria may differ in Q, Kpb and A.",
    ),
    Entry(
        sources.JOPPI_WENSING_IN_FULL, "Tables 6 and 7: Kuhn poker by Monte Carlo CFR", "kuhn-mccfr", "kuhn-mccfr",
        "The same up to chance, and alpha is free.",
    ),
    Entry(
        sources.JOPPI_WENSING_IN_FULL, "Section 4.1.1: the exploration phase, and a strategy without rare actions",
        "cleaning --iterations 100k", "cleaning --iterations 10M --seeds 10",
        "The source dropped its exploration phase because results were worse. Here leaving out 1 % changes nothing "
        "beyond chance; a tenth and more makes it worse, since strategies of CFR turn in circles and only the average "
        "over all of them settles. A threshold of 0.001 does no harm, one of 0.05 does, although it wins in play.",
    ),
    Entry(
        sources.JOPPI_WENSING_IN_FULL, "The same with CFR over all deals, where nothing is drawn",
        "cleaning --algorithm cfr --iterations 1000", "cleaning --algorithm cfr --iterations 10000",
        "As with samples; here even 1 % left out makes it worse.",
    ),
    Entry(
        sources.JOPPI_WENSING_IN_FULL, "Section 5.3: training for no-limit Leduc",
        "leduc-nl --iterations 1e5,4e5 --bets pot,allin", "leduc-nl",
        "The source could not measure exploitability and played matches instead; ours is exact.",
    ),
    Entry(
        sources.JOPPI_WENSING_IN_FULL, "Tables 8 to 12 and figures 13 to 16: strategies against DeepStack-Leduc",
        "leduc-deepstack --iterations 1e5 --pairs 200", "leduc-deepstack",
        "The opponent is our re-solver, not DeepStack-Leduc, and both matches and strategies are new; the source's own "
        "differences are within two standard errors.",
    ),
)  # fmt: skip
APARICIO = (
    Entry(
        sources.APARICIO_IN_FULL, "Table 1: categories of random seven-card hands",
        "hand-categories --hands 10000000", "hand-categories",
        "Ours are fair; the source's are not: it has far too many straights, some straight flushes too many and too "
        "few high cards and pairs, as if its evaluator took hands for straights that are none.",
    ),
    Entry(
        sources.APARICIO_IN_FULL, "Table 2: sizes of the models for 2 to 10 players",
        "aparicio-models --hands 1M --players 2-6 --match-hands 1000", "aparicio-models --hands 1e9",
        "The source names three sizes, which cannot give its counts: ten beside all-in are the fewest that hold its "
        "information sets of two and of three players. With fewer hands than its 10^9 ours has met fewer.",
    ),
)  # fmt: skip
JENSELME = (
    Entry(
        sources.JENSELME_KUJUNDZIC_IN_FULL, "The prisoner's dilemma: Nash against Pareto",
        "prisoners-dilemma", "prisoners-dilemma",
        "No difference; the source leaves out that the two lopsided cells are efficient, too.",
    ),
    Entry(
        sources.JENSELME_KUJUNDZIC_IN_FULL, "The exact equilibrium of Kuhn poker, and the run time",
        "kuhn-table", "kuhn-table",
        "The table mixes three equilibria and can be exploited; its program is pure Python, ours is compiled.",
    ),
    Entry(
        sources.JENSELME_KUJUNDZIC_IN_FULL, "Deep CFR, beside tables and beside OpenSpiel's",
        "deep-cfr --seconds 10", "deep-cfr",
        "The source describes it after Brown et al. (2019), without an experiment of its own. On a game this small "
        "tables are better by far: networks pay where tables do not fit.",
    ),
)  # fmt: skip
PRICOPE = (
    Entry(
        sources.PRICOPE_IN_FULL, "Figure 1: the strength of hands in 1,000 games", "hand-strength", "hand-strength",
        "The source shows a picture without figures.",
    ),
    Entry(
        sources.PRICOPE_IN_FULL, "Figure 5: Blop", "blop --episodes 500 --seeds 1", "blop",
        "The source gives no sizes of layers, batches or rates, and counts 20 as the best return, which costs of moves "
        "rule out. In 500 episodes neither learner is done; the source shows 5,000.",
    ),
    Entry(
        sources.PRICOPE_IN_FULL, "Table 1: generic players alone",
        "pricope-baselines --games 100 --hands 1000", "pricope-baselines",
        "The source does not say how much its players raise, nor what a game is; its average stacks fit freeze-outs.",
    ),
    Entry(
        sources.PRICOPE_IN_FULL, "Table 1: the expert, with and without a model",
        "expert-table --games 250", "expert-table --games 40000",
        "Raise sizes and thresholds are those that fit the source's rows best; it states none. It played 250 games a "
        "row, so its own figures are within six points.",
    ),
    Entry(
        sources.PRICOPE_IN_FULL, "Section 4.4, figures 6 to 9: Agent 2 by neural fictitious play",
        "nfsp-holdem --games 200 --test-games 100 --opponents random", "nfsp-holdem",
        "The networks' sizes are not stated, and opponents are our readings of the source's. A short run has hardly "
        "begun to learn.",
    ),
)  # fmt: skip
TUHOLUKOVA = (
    Entry(
        sources.TUHOLUKOVA_IN_FULL, "Section 2.1: regret matching for 1,000,000 iterations against (0.4, 0.3, 0.3)",
        "rps-rock --repeats 5", "rps-rock",
        "The source prints no result; the best reply is paper, and both forms find it.",
    ),
    Entry(
        sources.TUHOLUKOVA_IN_FULL, "Section 3.1.3: payoffs 0, 1 and -1,000,000; LCFR+",
        "discounting", "discounting --iterations 10000",
        "One iteration more or less. On limit Leduc LCFR+ is worse than CFR+ and better than linear CFR, not worse "
        "than both; the source has that from Brown & Sandholm (2019), who measured in larger games.",
    ),
    Entry(
        sources.TUHOLUKOVA_IN_FULL, "Section 3.1: the family of CFR on limit Leduc",
        "leduc-convergence --iterations 1000 --samples 100000", "leduc-convergence",
        "The source describes the algorithms without figures.",
    ),
    Entry(
        sources.TUHOLUKOVA_IN_FULL, "Section 3.2: Monte-Carlo continual re-solving",
        "mccr --samples 1e3 --games kuhn --seeds 3", "mccr",
        "The source describes it without figures.",
    ),
    Entry(
        sources.TUHOLUKOVA_IN_FULL, "Section 3.3: value networks over 1,000 clusters",
        "", "value-networks --situations 100k",
        "The source trained on 1.5 million rivers for weeks; the forms are compared on the same situations here.",
    ),
    Entry(
        sources.TUHOLUKOVA_IN_FULL, "Section 4.6, table 4.1: matches and thinking time",
        "", "deepstack --hands 2000 --lbr-hands 2000",
        "The source played Slumbot on its own site; here are our opponents. Thinking time depends on the machine.",
    ),
)  # fmt: skip
ENTRIES = (*JOPPI, *APARICIO, *JENSELME, *PRICOPE, *TUHOLUKOVA)
MISSING = (
    Missing(
        sources.APARICIO_IN_FULL, "Figure 1: 10,000 hands against Slumbot",
        "it needs slumbot.com; `ludus slumbot` plays it and draws the same plot with an interval.",
    ),
    Missing(
        sources.JENSELME_KUJUNDZIC_IN_FULL, "Libratus, Pluribus",
        "they are described after their own papers, without an experiment.",
    ),
    Missing(sources.PRICOPE_IN_FULL, "Table 2 and section 4.4: matches against two people", "they need people."),
    Missing(
        sources.TUHOLUKOVA_IN_FULL, "Figures 4.7 to 4.10: 20,804 hands against Slumbot",
        "they need slumbot.com; `ludus reproduce deepstack --slumbot LOG` shows a session of `ludus slumbot` beside.",
    ),
    Missing(
        sources.TUHOLUKOVA_IN_FULL, "Section 2.2: Q-learning, DQN, REINFORCE and A3C",
        "they are described without an experiment.",
    ),
)  # fmt: skip


def chosen(only: str) -> set[str]:
    """Experiments named between commas, all if there is none; ValueError names those there are."""
    known = {entry.name for entry in ENTRIES}
    names = {word.strip() for word in only.split(",") if word.strip()}
    if unknown := sorted(names - known):
        raise ValueError(f"there is no experiment {unknown[0]!r} among {', '.join(sorted(known))}")
    return names or known
