"""Runs one program of one system once, and reads what it prints."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

from driver.errors import BenchError
from driver.systems import FAMILIES, Family

TIMEOUT_SECONDS = 180


class RunFailed(BenchError):
    """The program did not end well, or did not run where it was told to."""


def command_of(system, program, placement, samples, batch_ms, purerun, map_file):
    """The command and the environment that it needs."""
    cpus = ",".join(str(cpu) for cpu in placement.cpus)
    ranks = str(len(placement.cpus))
    command = [str(program), "--cpus", cpus, "--samples", str(samples), "--batch-ms", str(batch_ms)]
    if system.kind == "pure":
        map_file.write_text("".join(f"{rank} {cpu}\n" for rank, cpu in enumerate(placement.cpus)))
        return [str(purerun), "-n", ranks, *command], {"PURE_MAP_BY": f"file:{map_file}"}
    if system.kind == "mpi":
        family = FAMILIES.get(system.family, Family())
        options = (*family.options, *(family.crowded_options if placement.crowded else family.alone_options))
        environment = system.environment | family.environment
        if placement.crowded:
            environment |= family.crowded_environment
        return [system.mpiexec, *options, "-n", ranks, *command], environment
    places = ",".join(f"{{{cpu}}}" for cpu in placement.cpus)
    return command, {"OMP_NUM_THREADS": ranks, "OMP_PROC_BIND": "true", "OMP_PLACES": places}


def run_once(system, program, placement, samples, batch_ms, purerun):
    """{case: (bytes, [value, ...])}, in the order in which the program reported. Raises RunFailed."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        command, environment = command_of(
            system, program, placement, samples, batch_ms, purerun, Path(folder) / "ranks-to-cpus"
        )
        status, output, errors = _run(command, os.environ | environment)
    if status != 0:
        last = "\n".join((output + errors).strip().splitlines()[-12:])
        raise RunFailed(f"{_how_it_ended(status)}: {' '.join(command)}\n{last}")
    return _parse(output, system, placement)


def _how_it_ended(status):
    if status is None:
        return f"no end after {TIMEOUT_SECONDS} s"
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"


def _run(command, environment):
    """(exit status or None after a time-out, output, errors). The whole process group ends with it."""
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
    try:
        output, errors = process.communicate(timeout=TIMEOUT_SECONDS)
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        _end(process)
        output, errors = process.communicate()
        return None, output, errors
    except BaseException:  # the person pressed control-C
        _end(process)
        raise


def _end(process):
    try:
        os.killpg(process.pid, signal.SIGTERM)  # a launcher passes it on to the ranks
        try:
            process.wait(timeout=5)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        pass


def _parse(output, system, placement):
    cases = {}
    cpus = None
    for line in output.splitlines():
        word, *fields = line.split("\t")
        if word == "cpus":
            cpus = tuple(int(field) for field in fields)
        elif word == "sample":
            name, size, value = fields
            cases.setdefault(name, (int(size), []))[1].append(float(value))
    # A system without ranks reports its first thread; it binds the others itself, or fails.
    expected = placement.cpus if system.kind in ("pure", "mpi") else placement.cpus[:1]
    if cpus != expected:
        raise RunFailed(f"it should run on CPUs {list(expected)}, one for each rank, but reported {list(cpus or [])}")
    if not cases:
        raise RunFailed("it reported no samples")
    return cases
