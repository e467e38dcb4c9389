"""Work that takes long, in processes of its own: the pool, the process, and the jobs."""
