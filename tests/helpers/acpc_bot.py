"""A competitor from outside, written without Ludus: ``python acpc_bot.py MODE HOST PORT``."""

import socket
import sys
import time


def main(mode: str, host: str, port: str) -> None:
    """Always call, until the mode says otherwise."""
    connection = socket.create_connection((host, int(port)))
    if mode == "mute":
        time.sleep(60)
    connection.sendall(b"GOOD DAY\r\n" if mode == "rude" else b"VERSION:2.0.0\n")
    answers = 0
    for raw in connection.makefile("rb"):
        line = raw.decode().strip()
        _, position, _, betting, cards = line.split(":")
        if not line or not my_turn(betting, cards, int(position)):
            continue
        answers += 1
        if mode == "crash" and answers % 3 == 0:
            raise RuntimeError("the bot has had enough")
        if mode == "hang" and answers == 3:
            time.sleep(1.5)
        if mode == "nonsense" and answers % 3 == 0:
            connection.sendall(b"hello?\r\n")
            continue
        action = {"illegal": "r1", "garbage": "%%%"}.get(mode, "c") if answers % 3 == 0 else "c"
        if mode == "chatty":
            connection.sendall(b"# thinking\r\n\r\nMATCHSTATE:0:999::Qh|:c\r\n")
        connection.sendall(f"{line}:{action}\r\n".encode())


def my_turn(betting: str, cards: str, position: int) -> bool:
    """For no-limit Leduc without raises, which is all that this bot can follow: seat 0 first, then seat 1, twice."""
    rounds = betting.split("/")
    return "f" not in betting and len(rounds[-1]) == position and len(rounds[-1]) < 2 and cards.count("|") == 1


if __name__ == "__main__":
    main(*sys.argv[1:])
