"""The sources' experiments reproduced, and speeds next to the peers'."""
