"""What is to be run: each benchmark with each number of ranks and, if it has several processes, over each network with
each MPI that Pure has a plug-in for."""

from dataclasses import dataclass

from driver import topology
from driver.benchmarks import Benchmark
from driver.errors import BenchError
from driver.networks import Link
from driver.systems import KINDS_OF_PURE, OWN_PROCESSES


@dataclass(frozen=True)
class Job:
    benchmark: Benchmark
    systems: list
    ranks: int
    placement: topology.Placement | None
    missing: str = ""  # why there is no placement
    link: Link | None = None  # between its processes, if it has several

    @property
    def runs(self):
        """(whose launcher starts a program, for whom it is compiled, whose samples it has): each program of a round."""
        if self.benchmark.is_together:
            pure = next(system for system in self.systems if system.kind == "pure")
            return [(pure, self.link.mpi, self.systems)]
        return [(system, system.program, [system]) for system in self.systems]

    def samples_of(self, system, found):
        """What is this system's of what a program has reported, by case."""
        if not self.benchmark.is_together:
            return found
        prefix = "mpi: "
        return {
            case.removeprefix(prefix): samples
            for case, samples in found.items()
            if case.startswith(prefix) == (system.kind == "mpi")
        }

    @property
    def title(self):
        """The line above its table."""
        benchmark = self.benchmark
        text = f"{benchmark.name}: {benchmark.unit}, {benchmark.better} is better; {self.ranks} ranks"
        if self.link:
            text += f" in {self.link.processes} processes {self.link.description}"
        if self.placement is None:
            return f"{text}; {self.missing}"
        return f"{text} {self.placement.where}"


@dataclass(frozen=True)
class Networks:
    """What benchmarks of several processes find here."""

    mpis: dict  # those with a plug-in, by name
    hosts: object = None  # TwoHosts, or None, and why
    why_no_hosts: str = ""


def plan(arguments, benchmarks, systems, nodes, networks):
    """The jobs. `systems`: those that are wanted. What is left out is printed with its reason."""
    jobs = []
    for benchmark in benchmarks:
        if arguments.ranks and not benchmark.allows(arguments.ranks):
            text = f"{benchmark.name} runs with {' or '.join(map(str, benchmark.ranks))} ranks"
            text += f" or any {benchmark.ranks_may_be} number" if benchmark.ranks_may_be == "even" else ""
            if arguments.only:
                raise BenchError(f"{text}, not with {arguments.ranks}")
            print(f"{benchmark.name}: skipped, {text}")
            continue
        for ranks in (arguments.ranks,) if arguments.ranks else benchmark.ranks:
            if benchmark.processes > 1:
                jobs += _between_processes(arguments, benchmark, systems, ranks, nodes, networks)
            else:
                jobs += _in_one_process(arguments, benchmark, systems, ranks, nodes)
    return jobs


def _is_for(benchmark, system, network="shm"):
    """Processes that purerun starts itself share this machine's memory, and are there to be compared with MPIs, as are
    the programs of MPIs. Threads of one process do not run a benchmark of several."""
    if system.kind == "pure-mpi" or system in OWN_PROCESSES:
        if "mpi" not in benchmark.kinds or benchmark.is_together or network != "shm":
            return False
        return system in OWN_PROCESSES or benchmark.processes == 1
    return system.kind in benchmark.kinds


def _in_one_process(arguments, benchmark, systems, ranks, nodes):
    able = [system for system in systems if _is_for(benchmark, system)]
    if not able:
        print(f"{benchmark.name}: skipped, it is for: {', '.join(benchmark.kinds)}")
        return []
    place = benchmark.place or arguments.place
    try:
        placement = topology.place(place, ranks, nodes, benchmark.distribution)
    except topology.MissingPlacement as reason:
        return [Job(benchmark, able, ranks, None, f"{place}: not on this machine: {reason}")]
    # A limit is threads that never give their core away.
    fit = [system for system in able if system.kind != "limit" or not placement.crowded]
    if not fit:
        print(f"{benchmark.name}: skipped, {ranks} ranks would share cores")
        return []
    return [Job(benchmark, fit, ranks, placement)]


def _between_processes(arguments, benchmark, systems, ranks, nodes, networks):
    if not networks.mpis:
        print(f"{benchmark.name}: skipped, Pure has been built without an MPI, which is to be beside it")
        return []
    place = benchmark.place or arguments.place
    named = arguments.systems or []
    # `--systems pure` is Pure over every MPI; `--systems pure,mpich` is Pure and MPICH, over MPICH.
    mpis = [mpi for name, mpi in networks.mpis.items() if name in named] or list(networks.mpis.values())
    jobs = []
    is_refused = False
    for network in benchmark.networks:
        if arguments.network and network != arguments.network:
            continue
        for mpi in mpis:
            able = [system for system in systems if system.kind in KINDS_OF_PURE and _is_for(benchmark, system, network)]
            if not named or mpi.name in named:
                able.append(mpi)
            if not able or (benchmark.is_together and len(able) == 1):
                is_refused = True
                continue
            link = Link(network, mpi, benchmark.processes, ranks, networks.hosts if network == "tcp" else None)
            try:
                placement = topology.place(place, ranks, nodes, benchmark.distribution, benchmark.processes)
                missing = "" if network == "shm" else _why_no_tcp(link, placement, networks)
            except topology.MissingPlacement as reason:
                missing = f"{place}: not on this machine: {reason}"
            jobs.append(Job(benchmark, able, ranks, None if missing else placement, missing, link))
    if is_refused and not jobs:
        wanted = "pure and one of" if benchmark.is_together else "pure,"
        print(f"{benchmark.name}: skipped, it is for: {wanted} {', '.join(networks.mpis)}")
    return jobs


def _why_no_tcp(link, placement, networks):
    """Why the processes cannot be as on machines of their own; empty if they can."""
    if link.hosts is None and link.ranks_per_process > 1:
        return f"several ranks in a process need two network namespaces, and there are none: {networks.why_no_hosts}"
    each = link.ranks_per_process
    parts = [set(placement.cpus[at : at + each]) for at in range(0, link.ranks, each)]
    if sum(map(len, parts)) > placement.cores:
        return f"{placement.name}: two machines cannot share a core"
    return ""
