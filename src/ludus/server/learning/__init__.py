"""What goes on beside the tables: advice, drills, the study of spots, and rock, paper, scissors."""
