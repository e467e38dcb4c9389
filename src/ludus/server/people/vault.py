"""What only a server with the secret can read: decks that are still to be dealt, in its database."""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error

NONCE, TAG, BLOCK = 16, 32, 32


class Vault:
    """Seals short texts with keys derived from the server's secret.

    Python has no cipher of its own; this is HMAC-SHA256 as a stream in counter mode, then HMAC-SHA256 of nonce, text
    and what it is about under another key (encrypt-then-MAC), each nonce random and used once.
    """

    def __init__(self, secret: bytes) -> None:
        self._cipher = hmac.digest(secret, b"ludus vault: cipher", "sha256")
        self._tag = hmac.digest(secret, b"ludus vault: tag", "sha256")

    def seal(self, text: str, about: str) -> str:
        """A text as it is kept; ``about`` says what it belongs to, and it can be read there only."""
        nonce = secrets.token_bytes(NONCE)
        hidden = self._streamed(nonce, text.encode())
        return urlsafe_b64encode(nonce + hidden + self._tagged(nonce + hidden, about)).decode()

    def unseal(self, sealed: str, about: str) -> str:
        """The text; ValueError when it was sealed by another secret, about something else, or changed."""
        try:
            data = urlsafe_b64decode(sealed)
        except Error:
            data = b""
        hidden, tag = data[:-TAG], data[-TAG:]
        if len(data) < NONCE + TAG or not hmac.compare_digest(self._tagged(hidden, about), tag):
            raise ValueError(
                "this was sealed with another secret, or changed: start the server with the secret file, or the "
                "LUDUS_SECRET, that the database was written with"
            )
        return self._streamed(hidden[:NONCE], hidden[NONCE:]).decode()

    def _streamed(self, nonce: bytes, data: bytes) -> bytes:
        stream = b"".join(
            hmac.digest(self._cipher, nonce + block.to_bytes(4), "sha256") for block in range(-(-len(data) // BLOCK))
        )
        return bytes(a ^ b for a, b in zip(data, stream, strict=False))

    def _tagged(self, data: bytes, about: str) -> bytes:
        return hmac.digest(self._tag, len(data).to_bytes(8) + data + about.encode(), "sha256")
