"""Sealed decks and ended log-ins

Decks of the first version lay open in the logs of tables. That of each table's last hand, which may still be played, is
sealed and promised anew; those of earlier hands go. The proofs of finished hands go, too: they proved too little.
"""

from __future__ import annotations

import json
import re
import secrets
from datetime import UTC, datetime
from hashlib import sha256

import sqlalchemy as sa
from alembic import context, op

from ludus.server.people.vault import Vault

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

EVENTS = sa.table(
    "table_events",
    *(sa.column(name, kind) for name, kind in (("table_id", sa.String()), ("number", sa.Integer()))),
    *(sa.column(name, kind) for name, kind in (("kind", sa.String()), ("data", sa.JSON()))),
    sa.column("time", sa.DateTime(timezone=True)),
)
HANDS = sa.table("hands", sa.column("deal", sa.JSON(none_as_null=True)), sa.column("commitment", sa.String()))


def upgrade() -> None:
    """Go to this version."""
    op.create_table(
        "ended_sessions",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ended_sessions")),
    )
    with op.batch_alter_table("ended_sessions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_ended_sessions_ended"), ["ended"], unique=False)

    op.add_column("people", sa.Column("seen", sa.DateTime(timezone=True), nullable=True))
    op.execute(
        sa.table("people", sa.column("seen", sa.DateTime(timezone=True))).update().values(seen=datetime.now(UTC))
    )
    op.execute(HANDS.update().values(deal=None, commitment=None))
    _seal_decks()


def _seal_decks() -> None:
    connection, dealt = op.get_bind(), EVENTS.c.kind == "dealt"
    lasts = sa.select(EVENTS.c.table_id, sa.func.max(EVENTS.c.number)).where(dealt).group_by(EVENTS.c.table_id)
    last = {tuple(row) for row in connection.execute(lasts)}
    keys = connection.execute(sa.select(EVENTS.c.table_id, EVENTS.c.number).where(dealt)).all()
    if keys and context.config.attributes.get("secret") is None:
        raise ValueError("there are hands whose decks are to be sealed: let a server do that, which has the secret")
    for table_id, number in keys:
        this = EVENTS.c.table_id == table_id, EVENTS.c.number == number
        data = connection.execute(sa.select(EVENTS.c.data).where(*this)).scalar_one()
        deck = re.findall("..", data.pop("deck"))
        del data["salts"]
        data["seeds"] = []
        connection.execute(EVENTS.update().where(*this).values(data=data))
        if (table_id, number) in last:
            _promise(table_id, data["hand"], deck)


def _promise(table_id: str, hand: str, deck: list[str]) -> None:
    """Promise a deck, before the first event of its table's log, so that it is dealt in the order in which it was."""
    places = sorted(range(len(deck)), key=lambda place: sha256(f"ludus-2:order:{hand}::{place}".encode()).digest())
    by_place = dict(zip(places, deck, strict=True))
    text = {"deck": "".join(by_place[place] for place in range(len(deck))), "key": secrets.token_hex(32)}
    vault = Vault(context.config.attributes["secret"])
    data = {"hand": hand, "sealed": vault.seal(json.dumps(text), f"{table_id} {hand}")}
    row = {"table_id": table_id, "number": 0, "kind": "promised", "data": data, "time": datetime.now(UTC)}
    op.get_bind().execute(EVENTS.insert(), [row])


def downgrade() -> None:
    """Go back to the version before. Tables that were played at since are not understood by it."""
    op.execute("ALTER TABLE people DROP COLUMN seen")  # SQLite would otherwise make the table anew, and lose tokens
    with op.batch_alter_table("ended_sessions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_ended_sessions_ended"))

    op.drop_table("ended_sessions")
