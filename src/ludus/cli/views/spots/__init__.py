"""Views of spots."""
