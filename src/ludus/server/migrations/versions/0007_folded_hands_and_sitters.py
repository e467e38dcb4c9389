"""Folded hands, who sits where, and decisions that know their place"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None
TO_FOLD = "block IS NULL AND upload_id IS NULL AND person_id IS NOT NULL"
BRIEF = ["person_id", "uploaded", "hand_id", "grade", "loss", "street", "situation", "tendency", "place"]


def upgrade() -> None:
    """Go to this version. Hands that are there already are folded by the server, little by little."""
    op.create_table(
        "folded_hands",
        sa.Column("person_id", sa.String(length=22), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.Column("hands", sa.LargeBinary(), nullable=False),
        sa.Column("others", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_folded_hands_person_id_people"),
                                ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id", "number", name=op.f("pk_folded_hands")),
    )  # fmt: skip
    op.add_column("hand_seats", sa.Column("block", sa.Integer(), nullable=True))
    op.create_index("hand_seats_to_fold", "hand_seats", ["person_id", "finished", "hand_id"],
                    sqlite_where=sa.text(TO_FOLD), postgresql_where=sa.text(TO_FOLD))  # fmt: skip
    _decisions()
    _sitters()


def _decisions() -> None:
    op.add_column("decisions", sa.Column("place", sa.String(length=10), server_default="", nullable=False))
    op.add_column("decisions", sa.Column("uploaded", sa.Boolean(), server_default=sa.false(), nullable=False))
    seat = "FROM hand_seats WHERE hand_seats.hand_id = decisions.hand_id AND hand_seats.seat = decisions.seat"
    op.execute(
        f"UPDATE decisions SET place = COALESCE((SELECT place {seat}), ''), "
        f"uploaded = COALESCE((SELECT upload_id IS NOT NULL {seat}), {_no()})"
    )
    op.drop_index("decisions_in_brief", "decisions")
    op.create_index("decisions_in_brief", "decisions", BRIEF)


def _no() -> str:
    return "0" if op.get_bind().dialect.name == "sqlite" else "FALSE"


def _sitters() -> None:
    """Who sits at the tables that are open: their hosts, who has sat down there, and who has played there."""
    table = op.create_table(
        "sitters",
        sa.Column("table_id", sa.String(length=22), nullable=False),
        sa.Column("person_id", sa.String(length=22), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=op.f("fk_sitters_table_id_tables"),
                                ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_sitters_person_id_people"),
                                ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "person_id", name=op.f("pk_sitters")),
    )  # fmt: skip
    op.create_index(op.f("ix_sitters_person_id"), "sitters", ["person_id"])
    connection = op.get_bind()
    found = {(row[0], row[1]) for row in connection.execute(sa.text("SELECT id, host_id FROM tables"))}
    played = "SELECT DISTINCT table_id, person_id FROM hand_seats WHERE table_id IS NOT NULL AND person_id IS NOT NULL"
    found |= {(row[0], row[1]) for row in connection.execute(sa.text(played))}
    for key, data in connection.execute(sa.text("SELECT table_id, data FROM table_events WHERE kind = 'sat'")):
        found.add((key, (json.loads(data) if isinstance(data, str) else data)["person"]))
    tables = set(connection.scalars(sa.text("SELECT id FROM tables WHERE closed IS NULL")))
    people = set(connection.scalars(sa.text("SELECT id FROM people")))
    rows = [{"table_id": key, "person_id": who} for key, who in sorted(found) if key in tables and who in people]
    if rows:
        op.bulk_insert(table, rows)


def downgrade() -> None:
    """Go back to the version before."""
    op.drop_table("sitters")
    op.drop_index("decisions_in_brief", "decisions")
    op.create_index("decisions_in_brief", "decisions", [name for name in BRIEF if name not in ("uploaded", "place")])
    with op.batch_alter_table("decisions") as table:
        table.drop_column("uploaded")
        table.drop_column("place")
    op.drop_index("hand_seats_to_fold", "hand_seats")
    with op.batch_alter_table("hand_seats") as table:
        table.drop_column("block")
    op.drop_table("folded_hands")
