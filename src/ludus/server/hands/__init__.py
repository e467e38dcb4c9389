"""Finished hands: kept, listed, exported, uploaded, reviewed and counted."""
