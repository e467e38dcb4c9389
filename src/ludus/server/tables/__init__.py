"""Live tables: what happens at them, who sees what of it, and how they outlive the process."""
