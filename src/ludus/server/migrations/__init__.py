"""The database's versions: each file of ``versions`` takes it one step further. Alembic runs them when a server starts.

To add one after a change of the models: ``python -m ludus.server.migrations "what changes"``.
"""
