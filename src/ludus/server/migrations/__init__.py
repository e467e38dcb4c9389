"""The database's versions: each file of ``versions`` takes it one step on. Alembic runs them when a server starts.

A new one, after a change of the models: ``python -m ludus.server.migrations "what changes"``.
"""
