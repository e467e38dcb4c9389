"""The simplest player: heads-up hold'em, always calls. It needs nothing but a socket, for timing a dealer.

``python -m ludus.protocols.acpc.caller HOST PORT``
"""

from __future__ import annotations

import socket
import sys


def call(host: str, port: int) -> int:
    """Play against somebody who also always calls until the dealer hangs up; how many times it was asked."""
    asked = 0
    turns: dict[bytes, bytes] = {}  # whose turn it is after a betting sequence
    with socket.create_connection((host, port)) as peer:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.sendall(b"VERSION:2.0.0\r\n")
        rest = b""
        while data := peer.recv(65536):
            *lines, rest = (rest + data).split(b"\r\n")
            for line in lines:
                _, position, _, betting, _ = line.split(b":")
                if betting not in turns:
                    turns[betting] = to_act(betting)
                if position == turns[betting]:
                    peer.sendall(line + b":c\r\n")
                    asked += 1
    return asked


def to_act(betting: bytes) -> bytes:
    """Whose turn it is when there were only calls; nobody's at the end.

    >>> to_act(b""), to_act(b"c"), to_act(b"cc/"), to_act(b"cc/cc/cc/cc")
    (b'1', b'0', b'0', b'')
    """
    streets = betting.split(b"/")
    acted = len(streets[-1])
    if len(streets) == 4 and acted == 2:
        return b""
    return b"%d" % ((acted + (len(streets) == 1)) % 2)


if __name__ == "__main__":
    call(sys.argv[1], int(sys.argv[2]))
