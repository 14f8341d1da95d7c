"""Python loads a module over Pure by ctypes: ranked.py MODULE end|exit|_exit|raise"""
import ctypes
import os
import sys

module = ctypes.CDLL(sys.argv[1])
how = sys.argv[2]
module.ranked_shift.restype = ctypes.c_long
assert module.ranked_begin() == 0
rank, size = module.ranked_rank(), module.ranked_size()
assert module.ranked_sum(rank + 1) == size * (size + 1) // 2
for count in (1, 200_000):
    assert module.ranked_shift(rank + 1, count) == ((rank + size - 1) % size + 1) * count
if how != "end" and rank == 0:
    if how == "exit":
        sys.exit(0)
    if how == "_exit":
        os._exit(0)
    if how == "raise":
        raise RuntimeError("nobody catches this")
assert module.ranked_end() == 0
if rank == 0:
    print(f"python: right, {size} ranks")
