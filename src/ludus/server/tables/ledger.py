"""The ledger of a table: what everybody has brought to it and won at it, those who have left included."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Account(NamedTuple):
    """A player's line: a person wherever they sat, or the AI of a chair."""

    person: str | None
    name: str
    chair: int  # where they sit, or sat last
    hands: int = 0
    net: int = 0  # chips won in hands, less those lost
    bought: int = 0  # chips brought to the table: first stacks and rebuys
    buys: int = 0  # how often
    sitting: bool = True


Ledger = tuple[Account, ...]
MOST_GONE = 50  # lines of those who have left, the latest ones: it is kept with every hand and shown in every message


def sat_down(ledger: Ledger, person: str | None, name: str, chair: int, stack: int) -> Ledger:
    """Somebody sits down with a stack; whoever was here before goes on with their line."""

    def change(account: Account) -> Account:
        bought, buys = account.bought + stack, account.buys + 1
        return account._replace(name=name, chair=chair, bought=bought, buys=buys, sitting=True)

    return _changed(ledger, person, name, chair, change)


def got_up(ledger: Ledger, person: str | None, chair: int) -> Ledger:
    """Somebody leaves; who has played no hand leaves no line, and of the others only so many are remembered."""
    changed = _changed(ledger, person, "", chair, lambda account: account._replace(sitting=False))
    left = [now for before, now in zip(ledger, changed, strict=False) if before.sitting and not now.sitting]
    ledger = (*(account for account in changed if account not in left), *left)
    gone = [account for account in ledger if not account.sitting and account.hands][-MOST_GONE:]
    return tuple(account for account in ledger if account.sitting or account in gone)


def bought(ledger: Ledger, person: str | None, chair: int, chips: int) -> Ledger:
    """Somebody buys chips."""

    def change(account: Account) -> Account:
        return account._replace(bought=account.bought + chips, buys=account.buys + 1)

    return _changed(ledger, person, "", chair, change)


def counted(ledger: Ledger, person: str | None, name: str, chair: int, net: int) -> Ledger:
    """A hand is over for somebody."""
    return _changed(
        ledger, person, name, chair, lambda account: account._replace(hands=account.hands + 1, net=account.net + net)
    )


def _changed(ledger: Ledger, person: str | None, name: str, chair: int, change: Callable[[Account], Account]) -> Ledger:
    for at, account in enumerate(ledger):
        if account.person == person and (person is not None or account.chair == chair):
            return (*ledger[:at], change(account), *ledger[at + 1 :])
    return (*ledger, change(Account(person, name, chair)))
