"""Solves wait in line, in the database"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.create_table(
        "solutions",
        sa.Column("spot_id", sa.String(length=22), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["spot_id"], ["spots.id"], name=op.f("fk_solutions_spot_id_spots"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("spot_id", name=op.f("pk_solutions")),
    )
    with op.batch_alter_table("spots", schema=None) as batch_op:
        batch_op.add_column(sa.Column("holder", sa.String(length=22), nullable=True))
        batch_op.add_column(sa.Column("seen", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("tries", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    """Go back to the version before."""
    with op.batch_alter_table("spots", schema=None) as batch_op:
        batch_op.drop_column("tries")
        batch_op.drop_column("seen")
        batch_op.drop_column("holder")

    op.drop_table("solutions")
