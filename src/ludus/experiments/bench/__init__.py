"""Our speeds, and the peers' in the same run where they are installed; figures as data."""
