"""Hands that are shared by a link"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.create_table(
        "shares",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("hand_id", sa.String(length=22), nullable=False),
        sa.Column("person_id", sa.String(length=22), nullable=False),
        sa.Column("names", sa.Boolean(), nullable=False),
        sa.Column("cards", sa.Boolean(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], name=op.f("fk_shares_hand_id_hands"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_shares_person_id_people")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shares")),
    )
    op.create_index(op.f("ix_shares_hand_id"), "shares", ["hand_id"])
    op.create_index(op.f("ix_shares_person_id"), "shares", ["person_id"])


def downgrade() -> None:
    """Go back to the version before."""
    op.drop_table("shares")
