"""What trackers count of a hand"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None
COLUMNS = ("chances", "taken", "later_raises", "later_calls")


def upgrade() -> None:
    """Go to this version. Hands that are there already are counted by the server, little by little."""
    for name in COLUMNS:
        op.add_column("hand_seats", sa.Column(name, sa.Integer(), nullable=True))
    op.create_index("hand_seats_to_count", "hand_seats", ["hand_id"], sqlite_where=sa.text("chances IS NULL"),
                    postgresql_where=sa.text("chances IS NULL"))  # fmt: skip


def downgrade() -> None:
    """Go back to the version before."""
    op.drop_index("hand_seats_to_count", "hand_seats")
    with op.batch_alter_table("hand_seats") as table:
        for name in COLUMNS:
            table.drop_column(name)
