"""The machine's cores, as far as this process may use them, and where ranks are placed on them.

Only one CPU of each physical core is used: hardware threads share what the benchmarks measure.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from driver.errors import BenchError

DISTRIBUTIONS = ("block", "cyclic")
PLACEMENTS = ("same-core", "same-numa", "cross-numa")
OWN = "own"  # wherever each system puts its ranks by itself
SYSTEM = Path("/sys/devices/system")


class MissingPlacement(Exception):
    """This machine has no such pair of cores; the text says why."""


@dataclass(frozen=True)
class Placement:
    """CPU of each rank, in rank order; with OWN, where there is room for them."""

    name: str
    cpus: tuple[int, ...]

    @property
    def cores(self):
        return len(set(self.cpus))

    @property
    def binds(self):
        """True when the ranks are to be bound to the CPUs; otherwise that is left to the systems."""
        return self.name != OWN

    @property
    def where(self):
        """For people."""
        return f"on CPUs {' '.join(map(str, self.cpus))} ({self.name})" if self.binds else "where each system puts them"

    @property
    def crowded(self):
        """True when ranks share cores: systems must then give the core away while they wait."""
        return self.cores < len(self.cpus)


def parse_cpu_list(text):
    """The kernel's list format: "0-3,8" is 0 1 2 3 8."""
    cpus = []
    for part in text.strip().split(","):
        if part:
            first, _, last = part.partition("-")
            cpus.extend(range(int(first), int(last or first) + 1))
    return cpus


def numa_nodes(system=SYSTEM, allowed=None):
    """For each NUMA node with usable cores: the first usable CPU of each of its cores."""
    allowed = os.sched_getaffinity(0) if allowed is None else allowed
    lists = sorted((system / "node").glob("node[0-9]*/cpulist"), key=lambda p: int(p.parent.name[4:]))
    nodes = [parse_cpu_list(p.read_text()) for p in lists] or [sorted(allowed)]
    found = []
    for node in nodes:
        cores = {}
        for cpu in sorted(set(node) & allowed):
            siblings = system / "cpu" / f"cpu{cpu}" / "topology" / "thread_siblings_list"
            core = siblings.read_text().strip() if siblings.exists() else str(cpu)
            cores.setdefault(core, cpu)
        if cores:
            found.append(list(cores.values()))
    if not found:
        raise BenchError("this process may use no CPU that the kernel describes in " + str(system))
    return found


def place(name, ranks, nodes, distribution="block", processes=1):
    """The CPUs for `ranks` ranks. More ranks than cores share cores: neighbours in blocks, or, cyclic, rank i and rank
    i + cores. Of several processes each has cores of its own, while there are enough. Raises MissingPlacement."""

    def spread(of_ranks, cores, among=processes):
        deal = _cyclic if distribution == "cyclic" else _in_blocks
        each = of_ranks // among
        return sum((deal(each, part) for part in _shares(cores[:of_ranks], among)), ())

    if name == "same-core":
        return Placement(name, (max(nodes, key=len)[0],) * ranks)
    if name == OWN:
        return Placement(name, spread(ranks, sum(nodes, [])))
    if name == "same-numa":
        cores = max(nodes, key=len)
        if len(cores) < 2:
            raise MissingPlacement("no NUMA node has two cores that this process may use")
        return Placement(name, spread(ranks, cores))
    if len(nodes) < 2:
        raise MissingPlacement("it has one NUMA node" if len(nodes) == 1 else "it has no NUMA nodes")
    near = processes // 2 * ranks // processes if processes > 1 else ranks // 2
    among = max(1, processes // 2), max(1, processes - processes // 2)
    return Placement(name, spread(near, nodes[0], among[0]) + spread(ranks - near, nodes[1], among[1]))


def _shares(cores, count):
    """As equal as possible; with fewer cores than shares, some are the same core."""
    first = [i * len(cores) // count for i in range(count + 1)]
    return [cores[first[i] : max(first[i + 1], first[i] + 1)] for i in range(count)]


def _in_blocks(ranks, cores):
    used = min(ranks, len(cores))
    return tuple(cores[rank * used // ranks] for rank in range(ranks))


def _cyclic(ranks, cores):
    return tuple(cores[rank % len(cores)] for rank in range(ranks))
