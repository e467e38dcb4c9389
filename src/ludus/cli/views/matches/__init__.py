"""Views of matches."""
