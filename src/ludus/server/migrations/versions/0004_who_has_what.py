"""Which server has what in its hands"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.create_table(
        "leases",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("url", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leases")),
    )


def downgrade() -> None:
    """Go back to the version before."""
    op.drop_table("leases")
