"""Work on several threads, processes or machines.

`in_blocks` is for kernels, which release the interpreter lock: threads of this process are enough. `Work` and its
engines are for whole tasks: "these tasks, in order" on this machine's threads or processes, or on the machines of a
Ray cluster, with the same results.
"""

from ludus.parallel.blocks import Progress, Stages, ahead, in_blocks, memory_limit, usable_cores
from ludus.parallel.engines import HERE, Engine, Threads, open_engine
from ludus.parallel.processes import Processes
from ludus.parallel.work import Work

__all__ = [
    "HERE", "Engine", "Processes", "Progress", "Stages", "Threads", "Work", "ahead", "in_blocks", "memory_limit",
    "open_engine", "usable_cores",
]  # fmt: skip
