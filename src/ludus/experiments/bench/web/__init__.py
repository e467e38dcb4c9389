"""Measurements of the web server: its start, and a crowd at its tables."""
