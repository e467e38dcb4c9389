"""Blueprints: strategies of abstract hold'em for 2 to 10 players, learnt by sampled self-play."""
