"""Agents that think while they play, at small games and at heads-up no-limit hold'em: `resolver` and its kin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from ludus.agents.base import Strategist
from ludus.agents.drawing import draw
from ludus.cards.distribution import weight_met
from ludus.games.holdem import is_holdem
from ludus.games.menu import Menu
from ludus.games.moves import CALL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import hole_hands
from ludus.nets.holdem.network import HandNetwork
from ludus.nets.holdem.shipped import load_networks, shipped_values
from ludus.nets.shipped import shipped_network
from ludus.nets.small_games import NetworkLeaves, Stage
from ludus.search.holdem import Effort as HoldemEffort
from ludus.search.holdem import HoldemSearch, equity_values
from ludus.search.holdem_look_ahead import HoldemLookAhead
from ludus.search.mccr import MonteCarloResolver
from ludus.search.resolver import MOST_KEPT, Floats, Kept, LookAhead, Resolver, Searcher
from ludus.search.small_games import Effort, SmallGames
from ludus.solvers.beliefs import ActionValues, RangeStrategist, RangeStrategy
from ludus.solvers.depth.solved_leaves import SolvedLeaves
from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.spot.leaf_solvers import EquityLeaves
from ludus.trees.deals import MOST_DEALS, count_deals
from ludus.trees.flat import flatten
from ludus.trees.translation import pot_fraction, raise_by

if TYPE_CHECKING:
    from ludus.search.together import TogetherSearch

NETWORK, EXACT, END, EQUITY = "network", "exact", "end", "equity"
USUAL_ITERATIONS, USUAL_THREADS = 1000, 2
TOGETHER = HoldemEffort((400, 240, 160, 240))  # a river takes a device longer than other streets
TINY = 1e-4  # of the largest weight: what is taken more rarely has no value


@dataclass(frozen=True, eq=False)
class SearchAgent:
    """Plays what a search says of its hand. Searches are remembered: a public history is thought about once."""

    searcher: RangeStrategist
    fits: Callable[[PokerGame], None]  # ValueError unless the search can play a game

    def check(self, game: PokerGame) -> None:
        """ValueError unless it can play a game."""
        self.fits(game)

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Search, then draw from what was found."""
        return draw(self.strategy(observation), rng.random())

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """How the search plays the hand it holds; one that thinks hand by hand thinks about this one alone."""
        hand = tuple(sorted(observation.hole(observation.player)))
        if hand not in hole_hands(observation.game):
            raise ValueError("the player's own cards are hidden or not of this game: ask for the strategy of the range")
        if isinstance(self.searcher, Strategist):
            found = self.searcher.strategy(observation)
            played = at_table(RangeStrategy(tuple(found), np.array([list(found.values())])), observation)
            row = played.chances[0]
        else:
            played = self.range_strategy(observation.seen_by(-1))
            row = played.chances[hole_hands(observation.game).index(hand)]
        return {action: float(chance) for action, chance in zip(played.actions, row, strict=True) if chance > 0}

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """How the search plays every hand, in bets that the table allows; without a choice it does not think."""
        if len(public.legal_actions()) == 1:
            return RangeStrategy((CALL,), np.ones((len(hole_hands(public.game)), 1)))
        return at_table(self.searcher.range_strategy(public), public)

    def action_values(self, public: PokerState) -> ActionValues | None:
        """What its actions win against every hand of the opponent, by its look-ahead; hold'em alone."""
        if not isinstance(self.searcher, Resolver) or not is_holdem(public.game):
            return None
        look = self.searcher.look(public)
        assert isinstance(look, HoldemLookAhead)
        tree_actions = look.range_strategy().actions
        actions, conceded = _merged(tree_actions, public, (found := look.conceded_by_action())[0])
        met = _merged(tree_actions, public, found[1])[1]
        return ActionValues(actions, _won(conceded, met).T)

    def range_values(self, publics: Sequence[PokerState], seat: int) -> Floats | None:
        """What a seat's range wins against every hand of the opponent where a street begins; hold'em alone."""
        if not isinstance(self.searcher, Resolver) or not is_holdem(publics[0].game):
            return None
        return np.stack([_won(each.conceded, weight_met(each.own)) for each in self.searcher.carried(publics, seat)])


def _won(conceded: Floats, met: Floats) -> Floats:
    """What a range wins from hands to which it concedes so much, over the weight that they meet."""
    least = TINY * met.max()
    return np.asarray(np.where(met > least, -conceded / np.maximum(met, least), 0.0))


def at_table(found: RangeStrategy, public: PokerState) -> RangeStrategy:
    """A strategy in the bets that a table allows: others become the nearest of them."""
    actions, columns = _merged(found.actions, public, found.chances.T)
    return RangeStrategy(actions, columns.T)


def _merged(actions: tuple[int, ...], public: PokerState, rows: Floats) -> tuple[tuple[int, ...], Floats]:
    """Rows ``[actions, hands]`` by the actions that a table allows, those of the same one added up."""
    legal = public.legal_actions()
    images = [
        action if action <= CALL or action in legal else raise_by(public, pot_fraction(public, action))
        for action in actions
    ]
    known = tuple(sorted(set(images)))
    added = np.zeros((len(known), rows.shape[1]))
    for row, image in zip(rows, images, strict=True):
        added[known.index(image)] += row
    return known, added


@dataclass(frozen=True, eq=False)
class EitherSearch:
    """Look-aheads of small games and, once they are asked for, of hold'em."""

    small: SmallGames
    holdem: Callable[[], HoldemSearch | TogetherSearch]

    def of(self, game: PokerGame) -> Searcher:
        """Who searches in a game."""
        return self.holdem() if is_holdem(game) else self.small

    def solve(self, public: PokerState, player: int, kept: Kept | None) -> LookAhead:
        """A look-ahead by who searches in its game."""
        return self.of(public.game).solve(public, player, kept)


def resolver_agent(
    values: str = "", iterations: int | None = None, bets: str = "pot,allin", seconds: float = 0.0,
    turn: str = EXACT, threads: int = USUAL_THREADS, device: str = "",
) -> SearchAgent:  # fmt: skip
    """Continual re-solving: ``values`` at the end of its look-ahead are those of a network (a file, or the one shipped
    for the game), of exact solves (exact), or there is no end but that of the hand (end); in hold'em those of networks
    (a folder of them, or those shipped), or as if nobody bet any more (equity). ``bets`` are those of the look-ahead,
    in hold'em of all its decisions but the first; any takes those that the table offers. There are 1,000
    ``iterations``. Hold'em takes fewer of them, in proportion, or as many as fit into some ``seconds`` a decision, or
    the less of both where both are given; its ``turn`` is solved to the end (exact) or not (network), by some
    ``threads``. With a ``device`` of PyTorch, such as cuda, all tables of a process are thought about together there,
    the turn by network.
    """
    menu, leaf_values = Menu.parse(bets), lru_cache(32)(lambda game: _leaf_values(values, game))
    count = USUAL_ITERATIONS if iterations is None else iterations
    small = SmallGames(leaf_values, Effort(count, count // 2), menu)

    @cache
    def holdem() -> HoldemSearch | TogetherSearch:
        if menu is None:
            raise ValueError("a look-ahead of hold'em needs sizes: write bets=pot,allin or others")
        usual = TOGETHER if device else HoldemEffort()
        effort = replace(usual, seconds=seconds, workers=threads, capped=iterations is not None)
        effort = effort.times(count / USUAL_ITERATIONS)
        if not device:
            return HoldemSearch(_holdem_values(values), effort, turn, menu)
        if seconds or values == EQUITY:
            raise ValueError("on a device look-aheads are of networks and by iterations: leave out seconds and equity")
        return _together(HoldemSearch(_holdem_values(values), effort, NETWORK, menu), device)

    def fits(game: PokerGame) -> None:
        if is_holdem(game):
            holdem().check(game)
            return
        _check_small(game)
        if seconds or turn != EXACT or threads != USUAL_THREADS or device:
            raise ValueError(f"seconds, turn, threads and device are for hold'em: leave them out in {game.name}")
        tree = small.tree(game)
        flatten(tree, streets=None if leaf_values(tree) is None else 1, dealt=True)  # it may be too large

    return SearchAgent(Resolver(EitherSearch(small, holdem), MOST_KEPT // 8 if device else MOST_KEPT), fits)


def _together(search: HoldemSearch, device: str) -> TogetherSearch:
    from ludus.nets.holdem.devices import check_device

    where = check_device(device)
    from ludus.search.together import TogetherSearch, batches_of

    return TogetherSearch(search, batches_of(cast(Mapping[str, HandNetwork], search.values), where))


def _check_small(game: PokerGame) -> None:
    if game.players != 2 or count_deals(game) > MOST_DEALS:
        raise ValueError(f"it looks ahead in small games of two players such as leduc-nl, not in {game.name}")


def mccr_agent(
    samples: int = 20_000, preparation: int = 1_000_000, seed: int = 0, bets: str = "pot,allin"
) -> SearchAgent:
    """Monte-Carlo continual re-solving: so many samples a decision, after so many before play."""
    search = MonteCarloResolver(samples, preparation, seed, bets=Menu.parse(bets))

    def fits(game: PokerGame) -> None:
        _check_small(game)
        search.check(game)

    return SearchAgent(search, fits)


def _leaf_values(values: str, game: PokerGame) -> LeafValues | None:
    if values == END or (len(game.board_cards) == 1 and values in ("", EXACT)):
        return None
    if values == EXACT:
        return SolvedLeaves()
    if values not in ("", NETWORK):
        return NetworkLeaves.load(Path(values), game)
    shipped = shipped_network(game)
    if shipped is None and values == NETWORK:
        raise ValueError(f"there is no network for {game.name}: train one, or write values=exact or values=end")
    return None if shipped is None else NetworkLeaves(shipped, Stage(game))


def _holdem_values(values: str) -> Mapping[str, LeafValues]:
    if values == EQUITY:
        return equity_values(EquityLeaves())
    if values in ("", NETWORK):
        return shipped_values()
    if not Path(values).is_dir():
        raise ValueError(f"hold'em takes a folder of networks, or values=equity for none, got {values!r}")
    return _loaded(Path(values).resolve())


@cache
def _loaded(folder: Path) -> Mapping[str, LeafValues]:
    """The networks of a folder, read once."""
    return load_networks(folder)
