"""Drills: hands dealt for them, questions asked about them."""
