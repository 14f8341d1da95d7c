"""What a benchmark says about itself: the lines `// bench: key=value; key=value` in its head comment.

    systems        pure, mpi (every MPI), openmp, tbb, limit
    unit, better   of the values; better is lower or higher
    cases          the names of its rows; several such lines add up
    ranks          the numbers of ranks that it runs with
    ranks-may-be   even or any: what --ranks may ask for besides
    place          a placement that it always has; own: each system puts its ranks where it does by itself
    alone          yes: each case in a program of its own, which begins with it (default: no). The program asks the
                   session's wants() which it is
    distribution   block or cyclic: which ranks share a core when there are more than cores (default: block)
    processes      of a benchmark of several processes: how many, each with as many of the ranks
    networks       shm, tcp: what is between them; it runs with each of these
    together       yes: one program for Pure and for the MPI that its processes use, which measures both in turn (default:
                   no). It is linked with both, and names the MPI's samples "mpi: CASE"
    distance       yes: how far apart two ranks' cores are is measured in one process, too (default: no). For benchmarks
                   of Pure, of MPIs, and of limits that are pairs of threads
"""

import re
from dataclasses import dataclass
from pathlib import Path

from driver.errors import BenchError
from driver.topology import DISTRIBUTIONS, OWN, PLACEMENTS

SYSTEM_KINDS = ("pure", "mpi", "openmp", "tbb", "limit")
NETWORKS = ("shm", "tcp")
UNITS = {"B": 1, "KB": 1024, "MB": 1024 * 1024}


@dataclass(frozen=True)
class Benchmark:
    name: str
    source: Path
    title: str
    kinds: tuple[str, ...]
    unit: str
    better: str
    cases: tuple[str, ...]
    ranks: tuple[int, ...]
    ranks_may_be: str
    place: str | None
    distribution: str = "block"
    is_alone: bool = False
    processes: int = 1
    networks: tuple[str, ...] = ()
    is_together: bool = False
    has_distance: bool = False

    def allows(self, ranks):
        """True if the benchmark can run with that number of ranks."""
        if ranks % self.processes != 0:
            return False
        return ranks in self.ranks or self.ranks_may_be == "any" or (self.ranks_may_be == "even" and ranks % 2 == 0)


def bytes_of(case):
    """The size that a case names ("copy own 4 KB" is 4096), or 0."""
    match = re.search(r"(\d+) (B|KB|MB)$", case)
    return int(match[1]) * UNITS[match[2]] if match else 0


def read_benchmark(source):
    """The Benchmark of a file, or BenchError that says what its head comment lacks."""
    values = {}
    title = []
    for line in source.read_text().splitlines():
        if not line.startswith("//"):
            break
        text = line[2:].strip()
        if text.startswith("bench:"):
            for item in filter(None, (part.strip() for part in text[6:].split(";"))):
                key, equals, value = (part.strip() for part in item.partition("="))
                if not equals:
                    raise BenchError(f"{source}: '{item}' in its '// bench:' line is not key=value")
                values[key] = f"{values[key]}, {value}" if key == "cases" and key in values else value
        elif not values and text:
            title.append(text)

    def take(key, default=None):
        if key not in values and default is None:
            raise BenchError(f"{source}: its head comment has no '// bench: {key}=...'")
        return values.pop(key, default)

    def one_of(key, text, allowed):
        if text not in allowed:
            raise BenchError(f"{source}: {key}={text} in its '// bench:' line must be one of: {', '.join(allowed)}")
        return text

    def words(text):
        return tuple(word.strip() for word in text.split(","))

    def numbers(key, default=None):
        try:
            return tuple(int(word) for word in words(take(key, default)))
        except ValueError as error:
            raise BenchError(f"{source}: {key}= in its '// bench:' line must be numbers") from error

    ranks = numbers("ranks")
    processes, *more = numbers("processes", "1")
    networks = take("networks", "")
    if more or processes < 1 or any(number % processes for number in ranks):
        raise BenchError(f"{source}: processes= in its '// bench:' line must be a divisor of its ranks")
    if (processes > 1) != bool(networks):
        raise BenchError(f"{source}: processes= and networks= in its '// bench:' line go together")
    place = take("place", "")
    benchmark = Benchmark(
        name=source.stem,
        source=source,
        title=" ".join(title),
        kinds=tuple(one_of("systems", kind, SYSTEM_KINDS) for kind in words(take("systems"))),
        unit=take("unit"),
        better=one_of("better", take("better"), ("lower", "higher")),
        cases=words(take("cases")),
        ranks=ranks,
        ranks_may_be=one_of("ranks-may-be", take("ranks-may-be", "as listed"), ("as listed", "even", "any")),
        place=one_of("place", place, (*PLACEMENTS, OWN)) if place else None,
        distribution=one_of("distribution", take("distribution", "block"), DISTRIBUTIONS),
        is_alone=one_of("alone", take("alone", "no"), ("yes", "no")) == "yes",
        processes=processes,
        networks=tuple(one_of("networks", network, NETWORKS) for network in words(networks)) if networks else (),
        is_together=one_of("together", take("together", "no"), ("yes", "no")) == "yes",
        has_distance=one_of("distance", take("distance", "no"), ("yes", "no")) == "yes" or processes > 1,
    )
    if benchmark.is_together and (set(benchmark.kinds) != {"pure", "mpi"} or processes == 1):
        raise BenchError(f"{source}: together=yes in its '// bench:' line is for Pure and an MPI, between processes")
    if benchmark.has_distance and not set(benchmark.kinds) <= {"pure", "mpi", "limit"}:
        raise BenchError(f"{source}: distance=yes in its '// bench:' line is for ranks, and for pairs of threads: pure, mpi, limit")
    if values:
        raise BenchError(f"{source}: unknown key in its '// bench:' line: {', '.join(values)}")
    return benchmark


def read_all(folder):
    """Every benchmark of a folder, by name."""
    return {source.stem: read_benchmark(source) for source in sorted(folder.glob("*.cpp"))}
