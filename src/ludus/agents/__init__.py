"""Everything that acts, by name. An agent does not know who its opponents are.

>>> sorted(describe())[:3], make("call")
(['always-raise', 'blueprint', 'call'], CallAgent())
"""

from __future__ import annotations

from ludus.agents.base import Agent
from ludus.agents.blueprint import BlueprintAgent, blueprint_agent
from ludus.agents.drawing import draw
from ludus.agents.equilibrium import NAMES, EquilibriumAgent
from ludus.agents.expert.agent import ExpertAgent, ModelExpertAgent, expert_agent
from ludus.agents.exploiter import ExploiterAgent, exploiter_agent
from ludus.agents.heuristic import HeuristicAgent
from ludus.agents.learned.agent import LearnedAgent, deep_cfr_agent, nfsp_agent
from ludus.agents.multiway import MultiwayAgent
from ludus.agents.registry import AGENTS, at_web_tables, describe, make, register, settings_of, with_settings, with_time
from ludus.agents.searching import SearchAgent, mccr_agent, resolver_agent
from ludus.agents.simple import CallAgent, RaiseAgent, RandomAgent
from ludus.agents.spot_solver import SpotSolverAgent
from ludus.agents.strategy import StrategyAgent, load_strategy
from ludus.agents.styles import LooseAgent, TightAgent

__all__ = [
    "AGENTS", "Agent", "BlueprintAgent", "CallAgent", "EquilibriumAgent", "ExpertAgent", "ExploiterAgent",
    "HeuristicAgent", "LearnedAgent", "LooseAgent", "ModelExpertAgent", "MultiwayAgent", "RaiseAgent", "RandomAgent",
    "SearchAgent", "SpotSolverAgent", "StrategyAgent", "TightAgent", "at_web_tables", "describe", "draw", "make",
    "register", "settings_of", "with_settings", "with_time",
]  # fmt: skip

register("random", RandomAgent, "calls three times in five, else folds or raises any size")
register("call", CallAgent, "always checks or calls")
register("always-raise", RaiseAgent, "always raises the pot")
register("tight", TightAgent, "plays few hands, by their rank, and never bluffs")
register("loose", LooseAgent, "plays most hands, calls a lot and bets now and then")
register("heuristic-mc", HeuristicAgent, "bets on its chance of winning, found by simulation")
register("strategy", load_strategy, "plays a saved strategy, translating bets it does not know", main="file")
register(
    "spot-solver", SpotSolverAgent, "heads-up hold'em: solves the last streets while it plays", games=("holdem",),
    web=False, heads_up=True,
)  # fmt: skip
register(
    "blueprint", blueprint_agent, "no-limit hold'em by a trained blueprint, at a level from 1 to 5", main="name",
    games=("holdem",),
)  # fmt: skip
register(
    "exploiter", exploiter_agent, "plays a blueprint and learns what its opponents do wrong", main="name",
    games=("holdem",), remembers=True,
)  # fmt: skip
register(
    "expert", expert_agent, "hold'em by rules; `expert:model` learns what its opponent does next and exploits it",
    main="kind", games=("holdem",),
)  # fmt: skip
register("equilibrium", EquilibriumAgent, "small games, solved almost exactly when it is first asked", games=NAMES)
register(
    "resolver", resolver_agent, "small games and heads-up hold'em by continual re-solving, with value networks",
    main="values", games=(*NAMES, "holdem"), heads_up=True,
)  # fmt: skip
register(
    "mccr", mccr_agent, "small games by Monte-Carlo continual re-solving: samples the rest of the hand", games=NAMES
)
register(
    "nfsp", nfsp_agent, "small games and no-limit hold'em by a network that learnt by neural fictitious play",
    main="file", games=("kuhn", "leduc", "holdem"),
)  # fmt: skip
register(
    "deep-cfr", deep_cfr_agent, "small games by a network that learnt by Deep CFR: the average of what CFR played",
    main="file", games=("kuhn", "leduc", "leduc-nl"), web=("kuhn", "leduc"),  # of leduc-nl it has not learnt any bet
)  # fmt: skip
register(
    "multiway", MultiwayAgent, "no-limit hold'em of 2 to 10 players: searches the rest of the street over a blueprint",
    games=("holdem",),
)  # fmt: skip
