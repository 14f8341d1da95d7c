"""Where ranks' threads run, by the kernel, against shares that are made here from `pure info --json`.

cpu_shares.py PROGRAM: cpu_shares.c, compiled; purerun and pure are in PATH.
"""
import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

program = sys.argv[1]
faults = []


def cores(allowed):
    """The allowed cpus of each core that has any, as `pure info` sees the machine."""
    machine = json.loads(subprocess.run(["pure", "info", "--json"], check=True, capture_output=True, text=True).stdout)
    by_core = {}
    for each in machine["machine"]["hardware_threads"]:
        if each["cpu"] in allowed:
            by_core.setdefault(each["core"], []).append(each["cpu"])
    return [by_core[core] for core in sorted(by_core)]


def expected(ranks, cpus_per_rank, allowed):
    """(own, share) of each rank; one rank for each core at most."""
    all_cores = cores(allowed)
    shares = []
    for rank in range(ranks):
        first, end = (len(all_cores) * at // ranks for at in (rank, rank + 1))
        if cpus_per_rank is not None:
            first, end = rank, rank + 1
        share = sorted(cpu for core in all_cores[first:end] for cpu in core)
        own = all_cores[first][0]
        shares.append((own, share if cpus_per_rank is None else [own]))
    return shares


@contextlib.contextmanager
def control_group(cpus):
    """A folder of the kernel for processes that may use these cpus, of either version of cgroups; None: not here."""
    old, new = Path("/sys/fs/cgroup/cpuset"), Path("/sys/fs/cgroup")
    made = (old if old.is_dir() else new) / f"pure-test-{os.getpid()}"
    try:
        if not old.is_dir():
            (new / "cgroup.subtree_control").write_text("+cpuset")
        made.mkdir()
    except OSError:
        yield None
        return
    try:
        (made / "cpuset.cpus").write_text(",".join(map(str, cpus)))
        (made / "cpuset.mems").write_text((made.parent / "cpuset.mems").read_text() if old.is_dir() else "")
        yield made
    finally:
        made.rmdir()


def run(options, arguments=(), cpus=None, environment=None, group=None):
    command = ["purerun", *options, program, *arguments]
    if group is not None:
        command = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group), *command]
    if cpus is not None:
        command = ["taskset", "-c", ",".join(map(str, cpus)), *command]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                          env={**variables, **(environment or {})})
    if done.returncode != 0:
        faults.append(f"{command}: status {done.returncode}: {done.stderr}")
    said = {}
    for line in done.stdout.splitlines():
        rank, *kind, value = line.split()
        said.setdefault(int(rank), {}).setdefault(" ".join(kind), []).append([int(cpu) for cpu in value.split(",")])
    return command, said


def check(command, said, ranks, shares, constructors_see_share=True):
    if sorted(said) != list(range(ranks)):
        faults.append(f"{command}: ranks {sorted(said)}")
        return
    for rank, (own, share) in enumerate(shares):
        its = said[rank]
        wanted = {"own": [own] if own is not None else share, "pthread": share, "of a thread": share, "thrd": share,
                  "openmp": share}
        if constructors_see_share:
            wanted["constructor"] = share
        if "child" in its:
            wanted["child"] = share
        for kind, cpus in wanted.items():
            if any(each != cpus for each in its.get(kind, [None])):
                faults.append(f"{command}: rank {rank}, {kind}: {its.get(kind)}, not {cpus}")
        if its["threads"] != [[len(share)]]:
            faults.append(f"{command}: rank {rank}: OpenMP has {its['threads']} threads, not {len(share)}")


allowed = sorted(os.sched_getaffinity(0))
most = min(len(cores(allowed)), 4)
for how in (["--ranks-as", "threads"], ["--ranks-as", "processes"], ["--ranks-as", "threads", "--globals", "shared"]):
    is_shared, is_process = "shared" in how, "processes" in how
    for ranks in range(1, most + 1):
        if is_process and ranks == 1:
            continue  # nobody shares anything with it: it runs where purerun may
        job = [*how, "-n", str(ranks)]
        fork = ["fork"] if is_process else []  # which makes ranks processes
        check(*run(job, fork), ranks, expected(ranks, None, allowed), not is_shared)
        check(*run([*job, "--cpus-per-rank", "1"], fork), ranks, expected(ranks, 1, allowed), not is_shared)
        check(*run([*job, "--map-by", "none"]), ranks, [(None, allowed)] * ranks, not is_shared)
    one = allowed[-1:]
    check(*run([*how, "-n", "2"], cpus=one), 2, [(one[0], one)] * 2, not is_shared)

# Containers: a control group's cpus, to which nobody has bound the processes.
with control_group(allowed[-1:]) as found:
    if found is None:
        print("SKIPPED: the cpus of a control group: none can be made here")
    else:
        for how in ("threads", "processes"):
            job = ["--ranks-as", how, "-n", "2"]
            check(*run(job, group=found), 2, [(allowed[-1], allowed[-1:])] * 2)
            check(*run([*job, "--map-by", "none"], group=found), 2, [(None, allowed[-1:])] * 2)

# A file says where a rank's threads run, too.
with open("map", "w", encoding="utf-8") as file:
    file.write(f"0 {allowed[0]},{allowed[-1]}\n1 {allowed[-1]}\n")
both = [(None, sorted({allowed[0], allowed[-1]})), (None, allowed[-1:])]
for how in ("threads", "processes"):
    check(*run(["--ranks-as", how, "-n", "2", "--map-by", "file:map"]), 2, both, how == "threads")

# A program that binds its thread itself has its way.
command, said = run(["--ranks-as", "threads", "-n", "1"], [str(allowed[-1])])
if said[0]["bound"] != [allowed[-1:]]:
    faults.append(f"{command}: {said}")

# OpenMP's own words count.
for how in ("threads", "processes"):
    command, said = run(["--ranks-as", how, "-n", "2"], environment={"OMP_NUM_THREADS": "5"})
    if any(said[rank]["threads"] != [[5]] for rank in range(2)):
        faults.append(f"{command}, five threads: {said}")

for fault in faults:
    print("FAILED:", fault)
sys.exit(1 if faults else 0)
