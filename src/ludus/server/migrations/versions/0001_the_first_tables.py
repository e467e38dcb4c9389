"""The first tables"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.create_table(
        "people",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("username", sa.String(length=40), nullable=True),
        sa.Column("password", sa.String(length=200), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("preferences", sa.JSON(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("username", name=op.f("uq_people_username")),
    )
    op.create_table(
        "drills",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("person_id", sa.String(length=22), nullable=False),
        sa.Column("theme", sa.String(length=40), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("question", sa.JSON(), nullable=False),
        sa.Column("solution", sa.JSON(), nullable=False),
        sa.Column("answer", sa.String(length=20), nullable=True),
        sa.Column("grade", sa.String(length=12), nullable=True),
        sa.Column("answered", sa.DateTime(timezone=True), nullable=True),
        sa.Column("loss", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_drills_person_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drills")),
    )
    with op.batch_alter_table("drills", schema=None) as batch_op:
        batch_op.create_index("drills_of_person", ["person_id", "answered"], unique=False)

    op.create_table(
        "spots",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("person_id", sa.String(length=22), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("spot", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("file", sa.String(length=80), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_spots_person_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_spots")),
    )
    with op.batch_alter_table("spots", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_spots_person_id"), ["person_id"], unique=False)

    op.create_table(
        "tables",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("host_id", sa.String(length=22), nullable=False),
        sa.Column("config", sa.JSON(), nullable=False),
        sa.Column("invite", sa.String(length=22), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["people.id"], name=op.f("fk_tables_host_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tables")),
    )
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tables_closed"), ["closed"], unique=False)
        batch_op.create_index(batch_op.f("ix_tables_host_id"), ["host_id"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("person_id", sa.String(length=22), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_tokens_person_id_people"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_tokens_digest")),
    )
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tokens_person_id"), ["person_id"], unique=False)

    op.create_table(
        "uploads",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("person_id", sa.String(length=22), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("hero", sa.String(length=40), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_uploads_person_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_uploads")),
    )
    with op.batch_alter_table("uploads", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_uploads_person_id"), ["person_id"], unique=False)

    op.create_table(
        "hands",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("table_id", sa.String(length=22), nullable=True),
        sa.Column("upload_id", sa.String(length=22), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("big_blind", sa.Integer(), nullable=False),
        sa.Column("pot", sa.Integer(), nullable=False),
        sa.Column("board", sa.String(length=20), nullable=False),
        sa.Column("phh", sa.Text(), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=True),
        sa.Column("deal", sa.JSON(), nullable=True),
        sa.Column("adjusted", sa.Boolean(), nullable=False),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id"], ["tables.id"], name=op.f("fk_hands_table_id_tables"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["uploads.id"], name=op.f("fk_hands_upload_id_uploads"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hands")),
    )
    with op.batch_alter_table("hands", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_hands_finished"), ["finished"], unique=False)
        batch_op.create_index(batch_op.f("ix_hands_table_id"), ["table_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_hands_upload_id"), ["upload_id"], unique=False)

    op.create_table(
        "table_events",
        sa.Column("table_id", sa.String(length=22), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id"], ["tables.id"], name=op.f("fk_table_events_table_id_tables"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("table_id", "number", name=op.f("pk_table_events")),
    )
    op.create_table(
        "decisions",
        sa.Column("hand_id", sa.String(length=22), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.String(length=22), nullable=True),
        sa.Column("street", sa.Integer(), nullable=False),
        sa.Column("action", sa.Integer(), nullable=False),
        sa.Column("grade", sa.String(length=12), nullable=False),
        sa.Column("loss", sa.Double(), nullable=False),
        sa.Column("situation", sa.String(length=60), nullable=False),
        sa.Column("tendency", sa.String(length=30), nullable=False),
        sa.Column("advice", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], name=op.f("fk_decisions_hand_id_hands"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_decisions_person_id_people")),
        sa.PrimaryKeyConstraint("hand_id", "step", name=op.f("pk_decisions")),
    )
    with op.batch_alter_table("decisions", schema=None) as batch_op:
        batch_op.create_index(
            "decisions_in_brief",
            ["person_id", "hand_id", "grade", "loss", "street", "situation", "tendency"],
            unique=False,
        )

    op.create_table(
        "hand_seats",
        sa.Column("hand_id", sa.String(length=22), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person_id", sa.String(length=22), nullable=True),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("agent", sa.String(length=80), nullable=False),
        sa.Column("place", sa.String(length=10), nullable=False),
        sa.Column("cards", sa.String(length=10), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.Column("stack", sa.Integer(), nullable=False),
        sa.Column("net", sa.Double(), nullable=False),
        sa.Column("adjusted", sa.Double(), nullable=True),
        sa.Column("paid", sa.Boolean(), nullable=False),
        sa.Column("raised", sa.Boolean(), nullable=False),
        sa.Column("raises", sa.Integer(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("folded", sa.Boolean(), nullable=False),
        sa.Column("showdown", sa.Boolean(), nullable=False),
        sa.Column("street", sa.Integer(), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("big_blind", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.String(length=22), nullable=True),
        sa.Column("upload_id", sa.String(length=22), nullable=True),
        sa.ForeignKeyConstraint(
            ["hand_id"], ["hands.id"], name=op.f("fk_hand_seats_hand_id_hands"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_hand_seats_person_id_people")),
        sa.PrimaryKeyConstraint("hand_id", "seat", name=op.f("pk_hand_seats")),
    )
    with op.batch_alter_table("hand_seats", schema=None) as batch_op:
        batch_op.create_index("hand_seats_of_person", ["person_id", "finished", "hand_id"], unique=False)

    op.create_table(
        "notes",
        sa.Column("hand_id", sa.String(length=22), nullable=False),
        sa.Column("person_id", sa.String(length=22), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], name=op.f("fk_notes_hand_id_hands"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_notes_person_id_people")),
        sa.PrimaryKeyConstraint("hand_id", "person_id", name=op.f("pk_notes")),
    )


def downgrade() -> None:
    """Go back to the version before."""
    op.drop_table("notes")
    with op.batch_alter_table("hand_seats", schema=None) as batch_op:
        batch_op.drop_index("hand_seats_of_person")

    op.drop_table("hand_seats")
    with op.batch_alter_table("decisions", schema=None) as batch_op:
        batch_op.drop_index("decisions_in_brief")

    op.drop_table("decisions")
    op.drop_table("table_events")
    with op.batch_alter_table("hands", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_hands_upload_id"))
        batch_op.drop_index(batch_op.f("ix_hands_table_id"))
        batch_op.drop_index(batch_op.f("ix_hands_finished"))

    op.drop_table("hands")
    with op.batch_alter_table("uploads", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_uploads_person_id"))

    op.drop_table("uploads")
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tokens_person_id"))

    op.drop_table("tokens")
    with op.batch_alter_table("tables", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tables_host_id"))
        batch_op.drop_index(batch_op.f("ix_tables_closed"))

    op.drop_table("tables")
    with op.batch_alter_table("spots", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_spots_person_id"))

    op.drop_table("spots")
    with op.batch_alter_table("drills", schema=None) as batch_op:
        batch_op.drop_index("drills_of_person")

    op.drop_table("drills")
    op.drop_table("people")
