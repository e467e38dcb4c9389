"""The sources' experiments again, and speeds beside the peers'."""
