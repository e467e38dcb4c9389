"""How fast somebody may ask: token buckets in memory, for requests, log-ins and the messages of WebSockets."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import Counter, OrderedDict
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b

from ludus.server.work.fair_queue import Asker

LARGEST_MESSAGE = 1 << 16  # characters of a message on a WebSocket


@dataclass(frozen=True)
class Rate:
    """A number at once, and a number per second after that."""

    burst: float
    per_second: float


REQUESTS_OF_PERSON = Rate(200, 40)
REQUESTS_OF_ADDRESS = Rate(2000, 400)  # many people, or bots, behind one
NEW_TABLES, NEW_SOLVES, NEW_FILES = Rate(100, 0.5), Rate(30, 1 / 60), Rate(30, 1 / 60)  # of an address
NEW_PEOPLE = Rate(300, 1 / 60)
NEW_ACCOUNTS = Rate(10, 1 / 60)
LOG_INS_OF_ADDRESS = Rate(20, 1 / 10)
LOG_INS_OF_NAME = Rate(10, 1 / 20)
MESSAGES = Rate(200, 100)  # on a socket; a bot that answers at once stays below this
MESSAGES_OF_PERSON, MESSAGES_OF_ADDRESS = Rate(200, 100), Rate(2000, 400)  # on all sockets; more of them have to wait
LONG_OF_PERSON, LONG_OF_ADDRESS = 6, 24  # requests that a process works on for long, at the same time


class TokenBucket:
    """One allowance that refills over time."""

    __slots__ = ("left", "rate", "time")

    def __init__(self, rate: Rate) -> None:
        self.rate, self.left, self.time = rate, rate.burst, time.monotonic()

    def take(self, cost: float = 1.0) -> float:
        """Take from the allowance: 0, or the seconds to wait, and then nothing is taken."""
        now = time.monotonic()
        self.left = min(self.rate.burst, self.left + (now - self.time) * self.rate.per_second)
        self.time = now
        if self.left < cost:
            return (cost - self.left) / self.rate.per_second
        self.left -= cost
        return 0.0

    def give_back(self, cost: float = 1.0) -> None:
        """What was taken did not count."""
        self.left = min(self.rate.burst, self.left + cost)


class TokenBuckets:
    """A bucket for each name; of those not used lately only a limited number is remembered."""

    def __init__(self, rate: Rate, remembered: int = 20_000) -> None:
        self.rate, self.remembered = rate, remembered
        self.counted: Counter[str] | None = None  # what was taken, by digest, where other servers are told of it
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def of(self, name: str) -> TokenBucket:
        """The bucket of a name."""
        return self._of(digest(name))

    def _of(self, key: str) -> TokenBucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = TokenBucket(self.rate)
            if len(self._buckets) > self.remembered:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        return bucket

    def taken(self, name: str) -> None:
        """One was taken from the bucket of a name, for good."""
        if self.counted is not None:
            self.counted[digest(name)] += 1

    def taken_elsewhere(self, key: str, times: float) -> None:
        """Others have let somebody take so many; for as much as that is too many, they wait."""
        bucket = self._of(key)
        bucket.left = max(bucket.left - times, -self.rate.burst)

    def __len__(self) -> int:
        return len(self._buckets)


def digest(name: str) -> str:
    """A name that may be told to other servers: some names are secrets."""
    return blake2b(name.encode("utf-8", "replace"), digest_size=12).hexdigest()


class AtOnce:
    """How many requests of one name may be under way at the same time."""

    def __init__(self, most: int) -> None:
        self.most, self._under_way = most, Counter[str]()

    def begin(self, name: str) -> bool:
        """Whether there may be one more; if so, it counts until it ends."""
        if self.full(name):
            return False
        self._under_way[name] += 1
        return True

    def full(self, name: str) -> bool:
        """Whether there may be no more."""
        return self._under_way[name] >= self.most

    def end(self, name: str) -> None:
        """One of them is answered."""
        self._under_way[name] -= 1
        if not self._under_way[name]:
            del self._under_way[name]

    def __contains__(self, name: str) -> bool:
        return name in self._under_way

    def __len__(self) -> int:
        return len(self._under_way)


def begin_all(*asked: tuple[AtOnce, str]) -> tuple[ExitStack, AtOnce | None]:
    """Begin something that counts under several names until the stack is closed; which limit is reached, if any."""
    under_way = ExitStack()
    for at_once, name in asked:
        if not at_once.begin(name):
            under_way.close()
            return under_way, at_once
        under_way.callback(at_once.end, name)
    return under_way, None


class RateLimits:
    """All limits of a server. Used in the event loop only."""

    def __init__(self, on: bool = True) -> None:
        self.on = on
        self.people, self.addresses = TokenBuckets(REQUESTS_OF_PERSON), TokenBuckets(REQUESTS_OF_ADDRESS)
        self.new_people, self.new_accounts = TokenBuckets(NEW_PEOPLE), TokenBuckets(NEW_ACCOUNTS)
        self.addresses_logging_in, self.names_logging_in = (
            TokenBuckets(LOG_INS_OF_ADDRESS),
            TokenBuckets(LOG_INS_OF_NAME),
        )
        self.new_tables, self.new_solves = TokenBuckets(NEW_TABLES), TokenBuckets(NEW_SOLVES)
        self.new_files = TokenBuckets(NEW_FILES)
        self.messages_of_people = TokenBuckets(MESSAGES_OF_PERSON)
        self.messages_of_addresses = TokenBuckets(MESSAGES_OF_ADDRESS)
        self.long_of_people, self.long_of_addresses = AtOnce(LONG_OF_PERSON), AtOnce(LONG_OF_ADDRESS)

    def wait(self, *asked: tuple[TokenBuckets, str]) -> float:
        """Take one of each, or none: then the seconds to wait."""
        if not self.on:
            return 0.0
        taken: list[TokenBucket] = []
        for buckets, name in asked:
            bucket = buckets.of(name)
            if seconds := bucket.take():
                for other in taken:
                    other.give_back()
                return seconds
            taken.append(bucket)
        for buckets, name in asked:
            buckets.taken(name)
        return 0.0

    # Several servers

    @property
    def _all(self) -> dict[str, TokenBuckets]:
        return {name: each for name, each in vars(self).items() if isinstance(each, TokenBuckets)}

    def count(self) -> None:
        """Count from now on what is asked for, to tell other servers."""
        for buckets in self._all.values():
            buckets.counted = Counter()

    def counted(self, most: int) -> list[dict[str, dict[str, int]]]:
        """What was asked for since the last time, by kind and digest, in parts of at most so many."""
        parts: list[dict[str, dict[str, int]]] = []
        for kind, buckets in self._all.items():
            rows = list((buckets.counted or {}).items())
            parts += [{kind: dict(rows[at : at + most])} for at in range(0, len(rows), most)]
            if buckets.counted:
                buckets.counted = Counter()
        return parts

    def asked_elsewhere(self, told: dict[str, dict[str, int]]) -> None:
        """What people have asked of other servers counts here, too."""
        known = self._all
        for kind, rows in told.items():
            for key, times in rows.items():
                known[kind].taken_elsewhere(key, times)

    def messages(self) -> MessageLimit:
        """The limit of one WebSocket."""
        return MessageLimit(self.on)

    async def pace(self, asker: Asker) -> None:
        """Wait until somebody may send another message, on whichever of their sockets: others want to be heard, too."""
        asked = [(self.messages_of_addresses, asker.address)]
        if asker.person:
            asked.append((self.messages_of_people, asker.person))
        while seconds := self.wait(*asked):
            await asyncio.sleep(seconds)


class MessageLimit:
    """How much a client may send on one WebSocket: ``if not limit.allows(text): close with 4429``."""

    def __init__(self, on: bool = True, rate: Rate = MESSAGES, largest: int = LARGEST_MESSAGE) -> None:
        self._bucket, self._on, self._largest = TokenBucket(rate), on, largest

    def allows(self, message: str | bytes) -> bool:
        """Whether one more message is neither too much nor too large; the size counts even where rates do not."""
        return len(message) <= self._largest and (not self._on or self._bucket.take() == 0.0)


def address_name(host: str) -> str:
    """The name of a bucket for an address: an IPv6 network counts as one, since its owner has 2^64 addresses."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
