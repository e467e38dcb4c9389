"""The protocol of the Annual Computer Poker Competition, version 2.0.0: dealer, client, logs.

A *seat* is one of the players of a match, in the order of their names and ports. A *position* is a place relative to
the button in one hand; it is what messages carry, and what the rest of Ludus calls a seat.
"""
