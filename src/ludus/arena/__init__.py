"""Matches, and what can honestly be said about them."""
