"""What goes on away from the tables: advice, drills, the study of spots, and rock, paper, scissors."""
