"""What a server is told when it starts."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path

from ludus.parallel import memory_limit, usable_cores

LOOPBACK = "127.0.0.1"
MOST_THINKING = 60
SOLVING = 0.5  # of the memory that there is may be reserved for solves


def data_folder() -> Path:
    """Where a server keeps its database, its secret and solved spots by default: $LUDUS_DATA, or the user's folder."""
    told = os.environ.get("LUDUS_DATA")
    if told:
        return Path(told)
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "ludus"


def _check_network(name: str, text: str) -> None:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise ValueError(f"{name} are addresses or networks such as 127.0.0.1 or 10.0.0.0/8, got {text!r}") from None


@dataclass(frozen=True)
class Settings:
    """Where a server listens, what it keeps where, and how much it does at once."""

    host: str = LOOPBACK
    port: int = 8421
    folder: Path = field(default_factory=data_folder)
    database: str = ""  # a URL; empty: SQLite in the folder
    hosts: tuple[str, ...] = ()  # names under which browsers may reach it, besides loopback and ``host``
    proxies: tuple[str, ...] = ()  # addresses or networks of proxies that say who asks and by what scheme
    processes: int = 1  # that serve, all at the same address
    peer: str = ""  # the address at which other servers of the same database reach this one
    metrics: tuple[str, ...] = ()  # addresses or networks that are shown figures
    connections: int = 40  # to the database at the most: as many as there are threads for requests
    wait: float = 0.0  # seconds, at most, until the database is there
    log: str = "text"  # or 'json'
    helpers: int = field(default_factory=usable_cores)  # processes for advice, reviews and solving
    thinking: float = 1.5  # seconds, at most, for a decision of an opponent who thinks
    memory: int = field(default_factory=lambda: int(SOLVING * memory_limit()))  # bytes for all solves together
    ray: str = ""  # the address of a Ray cluster that solves spots; empty: this machine
    review: float = 10.0  # seconds of thinking about each decision of a review once it has a quick grade; 0: none
    warm_up: bool = True  # whether to compile in the background what is not compiled yet
    limits: bool = True  # whether requests are limited by rate: off for measuring

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError(f"a port is 0 to 65535, got {self.port}")
        for name, networks in (("trusted proxies", self.proxies), ("readers of metrics", self.metrics)):
            for each in networks:
                _check_network(name, each)
        if self.log not in ("text", "json"):
            raise ValueError(f"logs are text or json, not {self.log!r}")
        if self.processes < 1:
            raise ValueError(f"a server has at least one process, got {self.processes}")
        if self.processes > 1 and not self.database.startswith("postgresql"):
            raise ValueError("several processes need a PostgreSQL database: --db postgresql://...")
        if self.helpers < 1:
            raise ValueError(f"a server needs at least one helper process, got {self.helpers}")
        if not 0 < self.thinking <= MOST_THINKING:
            raise ValueError(f"an opponent thinks for up to {MOST_THINKING} seconds a decision, got {self.thinking}")
        if not 0 <= self.review <= MOST_THINKING:
            raise ValueError(f"a review takes up to {MOST_THINKING} seconds a decision, got {self.review}")

    @property
    def database_url(self) -> str:
        """The address of the database."""
        return self.database or f"sqlite:///{self.folder / 'ludus.db'}"
