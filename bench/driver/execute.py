"""Runs one program of one system once, and reads what it prints."""

import mmap
import os
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from driver.distance import Sample
from driver.errors import BenchError
from driver.systems import FAMILIES, KINDS_OF_PURE, KINDS_WITH_RANKS, OWN_PROCESSES, PURE_PROCESSES, Family

TIMEOUT_SECONDS = 180
# After its last result. An MPI that hangs in MPI_Finalize has been measured nevertheless.
END_SECONDS = 10


class RunFailed(BenchError):
    """The program did not end well, or did not run where it was told to."""


def command_of(
    system, program, placement, samples, batch_ms, purerun, map_file, link=None, case=None, distance_file=None
):
    """The command and the environment that it needs. `link`: what is between the processes, if there are several.
    `case`: the only one that is wanted. `distance_file`: where ranks measure how far apart their cores are."""
    ranks = str(len(placement.cpus))
    command = [str(program), "--samples", str(samples), "--batch-ms", str(batch_ms)]
    if placement.binds:
        command += ["--cpus", ",".join(str(cpu) for cpu in placement.cpus)]
    if case:
        command += ["--case", case]
    if distance_file:
        command += ["--distance-file", str(distance_file)]
    if link:
        if link.devices:
            command += ["--devices", ",".join(link.devices)]
        launcher, environment = _launcher_of(system, placement, ranks, purerun, map_file, link)
        return link.within([*launcher, *command]), environment | link.environment
    if system.kind in KINDS_WITH_RANKS:
        launcher, environment = _launcher_of(system, placement, ranks, purerun, map_file)
        return [*launcher, *command], environment
    places = ",".join(f"{{{cpu}}}" for cpu in placement.cpus)
    return command, {"OMP_NUM_THREADS": ranks, "OMP_PROC_BIND": "true", "OMP_PLACES": places}


def _launcher_of(system, placement, ranks, purerun, map_file, link=None):
    if system.kind in KINDS_OF_PURE:
        command = [str(purerun), "-n", ranks, *_processes_of(system, link)]
        if not placement.binds:
            return command, {}
        map_file.write_text("".join(f"{rank} {cpu}\n" for rank, cpu in enumerate(placement.cpus)))
        return command, {"PURE_MAP_BY": f"file:{map_file}"}
    family = FAMILIES.get(system.family, Family())
    unbound = family.unbound_options if placement.binds else ()  # the benchmark binds, or the launcher by its own rules
    options = (*family.options, *unbound, *(family.crowded_options if placement.crowded else family.alone_options))
    environment = system.environment | family.environment
    if placement.crowded:
        environment |= family.crowded_environment
    return [system.mpiexec, *options, *(link.mpiexec_options() if link else ()), "-n", ranks], environment


def _processes_of(system, link):
    """What tells purerun to start several processes, and what is to be between them."""
    if system == PURE_PROCESSES and link:
        return ("-N", str(link.processes), "--mpi", "none")
    if system in OWN_PROCESSES:  # of an MPI program each rank is one, as with the MPIs
        return ("--ranks-as", "processes")
    if system.kind == "pure-mpi":
        return ("--ranks-as", "threads")
    return link.purerun_options() if link else ()


def run_once(
    system, program, placement, samples, batch_ms, purerun, link=None, case=None, note=print, has_distance=False
):
    """{case: (bytes, [value, ...])}, in the order in which the program reported; `case`: the only one that is
    wanted. Raises RunFailed. `note`: told what is wrong with a run that has given its results. `has_distance`: how far
    apart cores are is measured with each sample."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        map_file, distance_file = Path(folder) / "ranks-to-cpus", Path(folder) / "distance"
        distance_file.write_bytes(bytes(mmap.PAGESIZE))
        command, environment = command_of(
            system,
            program,
            placement,
            samples,
            batch_ms,
            purerun,
            map_file,
            link,
            case,
            distance_file if has_distance else None,
        )
        status, output, errors = _run(command, os.environ | environment)
    if status is None and "end" in output.splitlines():
        note(f"it did not end within {END_SECONDS} s after its last result, and was killed")
    elif status != 0:
        last = "\n".join([*output.strip().splitlines()[-6:], *errors.strip().splitlines()[-12:]])
        raise RunFailed(f"{_how_it_ended(status)}: {' '.join(command)}\n{last}")
    return _parse(output, system, placement, link)


def _how_it_ended(status):
    if status is None:
        return f"no end after {TIMEOUT_SECONDS} s"
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"


def _run(command, environment):
    """(exit status or None after a time-out, output, errors). The whole process group ends with it. A time-out is
    TIMEOUT_SECONDS, or END_SECONDS after the program has said that it ends."""
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise RunFailed(f"cannot start {command[0]}: {error.strerror}") from error
    output, errors = [], []
    deadline = [time.monotonic() + TIMEOUT_SECONDS]

    def read_output():
        for line in process.stdout:
            output.append(line)
            if line == "end\n":
                deadline[0] = min(deadline[0], time.monotonic() + END_SECONDS)

    targets = (read_output, lambda: errors.extend(process.stderr))
    readers = [threading.Thread(target=target, daemon=True) for target in targets]
    for reader in readers:
        reader.start()
    status = None
    try:
        # A look at the clock each second takes nothing from the cores that are measured.
        while status is None and time.monotonic() < deadline[0]:
            readers[0].join(1)
            if not readers[0].is_alive():
                status = _status_soon(process)
    finally:  # also when the person presses control-C
        _end(process)
        for reader, pipe in zip(readers, (process.stdout, process.stderr)):
            reader.join(5)
            if not reader.is_alive():  # it is, if somebody outside the process group holds the other end
                pipe.close()
    return status, "".join(output), "".join(errors)


def _status_soon(process):
    try:
        return process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return None


def _end(process):
    try:
        os.killpg(process.pid, signal.SIGTERM)  # a launcher passes it on to the ranks
        try:
            process.wait(timeout=5)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        pass


def _parse(output, system, placement, link=None):
    cases = {}
    traffic = {}
    cpus = None
    for line in output.splitlines():
        word, *fields = line.split("\t")
        if word == "cpus":
            cpus = tuple(int(field) for field in fields)
        elif word == "sample":
            name, size, value, *distances = fields
            cases.setdefault(name, (int(size), []))[1].append(Sample(value, distances))
        elif word == "traffic":
            name, repetitions, *counted = fields
            traffic[name] = (int(repetitions), tuple(int(count) for count in counted))
    # A system without ranks reports its first thread; it binds the others itself, or fails.
    expected = placement.cpus if system.kind in KINDS_WITH_RANKS else placement.cpus[:1]
    if placement.binds and cpus != expected:
        raise RunFailed(f"it should run on CPUs {list(expected)}, one for each rank, but reported {list(cpus or [])}")
    if not cases:
        raise RunFailed("it reported no samples")
    problem = link.problem_of({name: size for name, (size, _) in cases.items()}, traffic) if link else None
    if problem:
        raise RunFailed(problem)
    return cases
