"""Walking through play before the flop, action by action, as JSON data: what everybody could do, and one chart."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ludus.agents.blueprint import BlueprintAgent
from ludus.cards.ranges import CLASSES
from ludus.games.poker import PokerState
from ludus.search.preflop_solution import ABOUT, DEPTHS, PreflopSolution, shipped_solution
from ludus.teach.preflop_charts import PreflopDecision, PreflopExplorer, charted_table
from ludus.teach.spots.places import rounded

TABLES = (2, 6)
MOST_LINE = 200
LEAST_REACH = 0.001  # classes that come here less often are left out


@lru_cache(maxsize=16)
def explorer(players: int, stack: float) -> PreflopExplorer:
    """The solution of about such a table, if one is shipped, or else the blueprint at that very depth."""
    if players not in TABLES:
        raise ValueError(f"there are charts for {' and '.join(map(str, TABLES))} players, not for {players}")
    near = sorted(DEPTHS, key=lambda depth: max(depth / stack, stack / depth))
    for depth in near:
        solution = shipped_solution(players, depth)
        if solution is not None and 1 / ABOUT <= depth / stack <= ABOUT:
            return PreflopExplorer(solution, solution.model.game)
    agent = BlueprintAgent(None)
    return PreflopExplorer(agent, charted_table(agent, players, stack))


def chart(players: int, stack: float, line: str = "") -> dict[str, Any]:
    """The decision after a line such as 'F-F-R25', with every one before it; ValueError where it leads nowhere."""
    if len(line) > MOST_LINE:
        raise ValueError(f"a line has at most {MOST_LINE} characters")
    table = explorer(players, stack)
    state, before, steps = table.start, list[str](), list[dict[str, Any]]()
    for word in line.split("-") if line else []:
        decision = _decision(table, state, before, steps)
        keys = [str(state.action(action)) for action in decision.actions]
        if word not in keys:
            raise ValueError(f"{decision.position} cannot do {word!r} there: possible are {', '.join(keys)}")
        steps.append(_step(decision, before, word))
        state = state.apply(decision.actions[keys.index(word)])
        before.append(word)
    source = table.agent
    told: dict[str, Any] = {
        "players": players, "stack": stack, "line": line, "path": steps, "big_blind": table.game.big_blind,
        "source": "solved" if isinstance(source, PreflopSolution) else "blueprint",
        "source_stack": source.model.stack if isinstance(source, PreflopSolution) else stack,
        "gain": source.gain.mean if isinstance(source, PreflopSolution) else None,
        "depths": [depth for depth in sorted(DEPTHS) if shipped_solution(players, depth) is not None],
    }  # fmt: skip
    if state.player < 0 or state.street:
        return {**told, "decision": None}
    decision = _decision(table, state, before, steps)
    return {**told, "decision": rounded({**_step(decision, before, None), **_by_class(decision, source)})}


def _decision(
    table: PreflopExplorer, state: PokerState, before: list[str], steps: list[dict[str, Any]]
) -> PreflopDecision:
    if state.player < 0 or state.street:
        raise ValueError(f"nobody decides anything before the flop after {'-'.join(before)!r}")
    return table.decision(state, ())


def _step(decision: PreflopDecision, before: list[str], taken: str | None) -> dict[str, Any]:
    """What a player can do, how often their whole range does it, and what was done."""
    state, held = decision.state, decision.chart.held
    often = decision.chart.totals.tolist() if held else [None] * len(decision.actions)
    actions = []
    for action, share in zip(decision.actions, often, strict=True):
        said = state.phrase(action)
        verb = "raise" if said.verb == "bet" else said.verb
        actions.append({"key": str(state.action(action)), "kind": verb, "amount": said.chips, "share": share})
    return {
        "line": "-".join(before), "position": decision.position, "pot": state.pot, "to_call": state.to_call(),
        "stack": state.stacks[state.player], "actions": actions, "taken": taken,
    }  # fmt: skip


def _by_class(decision: PreflopDecision, source: object) -> dict[str, Any]:
    shown = [at for at, reach in enumerate(decision.reach.tolist()) if reach > LEAST_REACH]
    worth = None
    if isinstance(source, PreflopSolution):
        unit = decision.state.game.big_blind
        known = {at: source.values(decision.state, at) for at in shown}
        worth = {CLASSES[at]: [known[at][action] / unit for action in decision.actions] for at in shown}
    return {
        "reach": {CLASSES[at]: float(decision.reach[at]) for at in shown},
        "strategy": {CLASSES[at]: decision.frequencies[at].tolist() for at in shown},
        "worth": worth,
    }
