"""Sit down at a table: in the terminal or on the web."""
