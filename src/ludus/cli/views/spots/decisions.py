"""What ``ludus spot`` prints, draws and writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli.solving.solve_spot import PLAYERS
from ludus.cli.views.tables import number_text, print_rows

if TYPE_CHECKING:
    from ludus.solvers.spot.flops import FlopReport
    from ludus.solvers.spot.reports import RunoutReport
    from ludus.solvers.spot.view import View

GAINS = 6  # classes of hands shown that gain or lose most


# A decision


def title_of(view: View, player: int) -> str:
    """Who, on which board, after what."""
    return f"{PLAYERS[player].upper()} {_place(view)}"


def _place(view: View | RunoutReport) -> str:
    from ludus.cards.card import format_cards

    where = f"on {format_cards(view.board, ' ')}" if view.board else "before the flop"
    return where + (f" after {view.line}" if view.line else "")


def nan_where_zero(values: Any) -> Any:
    """Values with nan instead of 0."""
    import numpy as np

    return np.where(values > 0, values, np.nan)


def show_view(view: View) -> None:
    """Print what a decision is about and what the whole range does."""
    from rich.table import Table

    from ludus.cli.views.tables import print_table
    from ludus.trees.lines import longer

    facing = f", {view.to_call} to call" if view.to_call else ""
    print(f"{title_of(view, view.player)}: pot {view.pot}{facing}, {view.stack} behind")
    for player, name in enumerate(PLAYERS):
        held = f"{view.reach[player].sum():.4g} combinations"
        ev, share = view.mean_ev[player], view.mean_equity[player]
        print(f"{name.upper():<4}EV {number_text(ev, 3)}, equity {_percent(share)}, {held}")
    if not view.weights[0].any():
        print("This line is never taken, so nothing is said about what it is worth.")
    table = Table("action", box=None, pad_edge=False)
    for column in ("often %", "EV", "line"):
        table.add_column(column, justify="left" if column == "line" else "right")
    for name, action, often, ev in zip(view.names, view.actions, view.frequencies, view.mean_action_ev, strict=True):
        table.add_row(name, number_text(100 * often, 2), number_text(ev, 3), longer(view.line, str(action)))
    print_table(table)
    print()


def readable_hands(view: View, player: int) -> tuple[list[str], list[list[str]]]:
    """The hands that get here, from the aces down, in per cent and chips."""
    _, rows = view.table(player)
    actions = len(view.actions) if player == view.player else 0
    names = [f"{name} %" for name in view.names[:actions]]
    shown = []
    for row in rows:
        if row[2] > 0:
            shares = [f"{100 * share:.1f}" for share in row[3 : 3 + actions]]
            evs = [number_text(value, 2) for value in row[3 + actions : -1]]
            shown.append([row[0], row[1], f"{100 * row[2]:.1f}", *shares, *evs, _percent(row[-1])])
    evs = [f"EV {action}" for action in view.actions[:actions]]
    return ["hand", "class", "here %", *names, *evs, "EV", "equity"], shown[::-1]


def long_rows(view: View) -> list[list[Any]]:
    """One row for each action of each hand of the player to act."""
    _, rows = view.table()
    count = len(view.actions)
    found = []
    for row in rows:
        facts = [view.line, PLAYERS[view.player], row[0], row[2], row[-2], row[-1]]
        for at, action in enumerate(view.actions):
            found.append([*facts, action, row[3 + at], row[3 + count + at]])
    return found


# Card by card


def show_runouts(found: RunoutReport) -> None:
    """Print a line card by card."""
    from ludus.cards.card import CARDS

    if found.player:
        what = f"{found.player.upper()} decides after the card: " + ", ".join(found.names)
    else:
        what = "both players are all-in"
    print(f"A card comes {_place(found)}, pot {found.pot}; {what}")
    header = ["card", "comes %", "EV OOP", "EV IP", "equity OOP", *(f"{name} %" for name in found.names)]
    rows = []
    for row in (*found.rows[::-1], found.mean()):
        figures = [
            number_text(100 * row.share, 2),
            *(number_text(value, 2) for value in row.ev),
            _percent(row.equity[0]),
        ]
        often = [number_text(100 * share, 1) for share in row.frequencies]
        rows.append(["mean" if row.card < 0 else CARDS[row.card], *figures, *often])
    print_rows(header, rows)


def draw_runouts(path: Path, found: RunoutReport) -> None:
    """Draw a line card by card: EVs, and the next decision."""
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from ludus.cards.card import CARDS
    from ludus.cli.views.chart import action_colours
    from ludus.experiments.plots import save_figure

    rows = found.rows[::-1]
    figure = Figure(figsize=(12, 7 if found.names else 4), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(2 if found.names else 1, 1, squeeze=False)[:, 0]
    places = np.arange(len(rows))
    panels[0].bar(places, [row.ev[0] for row in rows], color="tab:blue", width=0.8)
    panels[0].axhline(found.mean().ev[0], color="0.3", linewidth=1.0, linestyle="--", label="mean over all cards")
    panels[0].set_ylabel("EV of OOP (chips)")
    panels[0].set_title(f"Every card {_place(found)}, pot {found.pot}")
    panels[0].legend(fontsize="small")
    if found.names:
        base = np.zeros(len(rows))
        colours = action_colours([action.kind for action in found.actions])
        for at, (name, colour) in enumerate(zip(found.names, colours, strict=True)):
            often = 100 * np.nan_to_num([row.frequencies[at] for row in rows])
            panels[1].bar(places, often, bottom=base, color=colour, width=0.8, label=name)
            base += often
        panels[1].set_ylabel(f"{found.player.upper()}'s next action (%)")
        panels[1].set_ylim(0, 100)
        panels[1].legend(fontsize="small", ncols=len(found.names), loc="upper center", bbox_to_anchor=(0.5, -0.12))
    for panel in panels:
        panel.set_xticks(places, [CARDS[row.card] for row in rows], rotation=90, fontsize=8)
        panel.set_xlim(-0.6, len(rows) - 0.4)
    save_figure(figure, path)


# Side by side


def show_comparison(found: dict[str, Any], names: tuple[str, str]) -> None:
    """Print two trees side by side."""
    after = f" after {found['line']}" if found["line"] else ""
    print(f"{found['board']}{after}")
    one, two = found["trees"]
    rows = [
        ["exploitability % of the pot", *(number_text(side["exploitability_percent"], 3) for side in (one, two)), ""]
    ]
    for name in PLAYERS:
        gain = found["ev_difference"][name]
        evs = [number_text(side["ev"][name], 4) for side in (one, two)]
        rows.append([f"EV of {name.upper()}", *evs, "-" if gain is None else f"{gain:+.4f}"])
    rows.append(["equity of OOP", *(_percent(side["equity"]["oop"]) for side in (one, two)), ""])
    often = [dict(zip(side["names"], side["frequencies"], strict=True)) for side in (one, two)]
    for name in dict.fromkeys([*often[0], *often[1]]):
        shares = [side.get(name, float("nan")) for side in often]
        known = [share is not None and share == share for share in shares]
        gain = f"{100 * (shares[1] - shares[0]):+.1f}" if all(known) else ""
        texts = [f"{100 * share:.1f}" if there else "-" for share, there in zip(shares, known, strict=True)]
        rows.append([f"{one['player'].upper()} {name} %", *texts, gain])
    for fact in ("nodes", "iterations"):
        rows.append([fact, *(f"{side[fact]:,}" for side in (one, two)), f"{two[fact] - one[fact]:+,}"])
    print_rows(["", *names, "difference"], rows)
    for name in PLAYERS:
        gains = list(found["class_gains"][name].items())
        best = [f"{hand} {gain:+.2f}" for hand, gain in gains[:GAINS] if gain > 0]
        worst = [f"{hand} {gain:+.2f}" for hand, gain in gains[::-1][:GAINS] if gain < 0]
        print(f"{name.upper()} in the second tree: most gained {', '.join(best) or 'nothing'};")
        print(f"    most lost {', '.join(worst) or 'nothing'}")


# Many flops


def show_flops(found: FlopReport, wanted: int) -> None:
    """Print what many flops amount to."""
    print(f"{len(found.rows)} of {wanted} flops")
    header = ["flop", "weight %", "exploitable %", "EV OOP", "EV IP", "equity OOP", *(f"{a} %" for a in found.actions)]
    total = sum(row.weight for row in found.rows)
    _, table = found.table()
    rows = []
    for flop, weight, percent, ev_oop, ev_ip, share, _, *often in table:
        shown = [
            number_text(100 * weight / total, 2),
            number_text(percent, 3),
            number_text(ev_oop, 2),
            number_text(ev_ip, 2),
        ]
        rows.append([flop, *shown, _percent(share), *(number_text(100 * each, 1) for each in often)])
    mean = found.mean()
    figures = [number_text(mean["exploitability_percent"], 3), *(number_text(mean["ev"][name], 2) for name in PLAYERS)]
    often = [number_text(100 * share, 1) for share in mean["frequencies"].values()]
    rows.append(["mean", "100", *figures, _percent(mean["equity"]["oop"]), *often])
    print_rows(header, rows)


# Texts


def _percent(share: float | None) -> str:
    return "-" if share is None or share != share else f"{100 * share:.2f} %"
