"""Whether the cores are really there: two CPUs of a virtual machine may share a core of the host, or wait for one, for some
seconds, and then no sharing of work gains anything."""

import os
import time

ENOUGH = 0.85  # of the cores; hardware threads of one core are about 0.6
LOOPS = 150_000
PATIENCE_SECONDS = 20


def _busy_loop():
    begin = time.perf_counter()
    value = 0
    for i in range(LOOPS):
        value = (value * 3 + i) & 0xFFFF
    return time.perf_counter() - begin


def part_of_cores(cores):
    """How much of `cores` cores there is for so many processes that compute at the same time, compared with one alone."""
    alone = min(_busy_loop() for _ in range(3))
    cpus = sorted(os.sched_getaffinity(0))[:cores]
    readers = []
    for cpu in cpus:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.sched_setaffinity(0, {cpu})
            os.write(writer, repr(min(_busy_loop() for _ in range(3))).encode())
            os._exit(0)
        os.close(writer)
        readers.append((reader, child))
    together = []
    for reader, child in readers:
        together.append(float(os.read(reader, 64)))
        os.close(reader)
        os.waitpid(child, 0)
    return min(1.0, alone / max(together))


def wait_for_cores(cores, say):
    """Waits until they are there, or for PATIENCE_SECONDS; what part there is."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        part = part_of_cores(cores)
        if part >= ENOUGH or time.monotonic() > end:
            return part
        say(f"waiting for {cores} cores: {part:.0%} of them are there")
        time.sleep(1)
