from hypothesis import settings

# Kernels compile or load on their first call, so no deadlines; the same examples on every run.
settings.register_profile("ludus", deadline=None, derandomize=True)
settings.load_profile("ludus")
