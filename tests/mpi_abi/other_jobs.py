"""Jobs beside jobs: each takes cpus that no other has, and gives them back however it ends.

other_jobs.py PROGRAM: other_jobs.c, compiled; purerun is in PATH. Jobs of others, as of tests that run at the same time, may
have cpus, too: what is asked is that no two of these here have the same, and that there is a reason where one has none.
"""
import os
import re
import signal
import subprocess
import sys
import threading
import time

program = sys.argv[1]
allowed = sorted(os.sched_getaffinity(0))
faults = []
number = 0


def expect(holds, text):
    if not holds:
        faults.append(text)


class Job:
    """Some ranks that stay until end(); `cpus`: of each, once they run."""

    def __init__(self, ranks, *options):
        global number
        number += 1
        self.file = f"end{number}"
        self.process = subprocess.Popen(["purerun", "-n", str(ranks), "--report-bindings", *options, program, self.file],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ranks = ranks
        self.errors = ""
        self.reader = threading.Thread(target=self.read_errors)
        self.reader.start()

    def read_errors(self):
        self.errors = self.process.stderr.read()

    def cpus(self):
        lines = [self.process.stdout.readline() for _ in range(self.ranks)]
        return [[int(cpu) for cpu in line.split(":")[1].split()] for line in sorted(lines)]

    def end(self):
        with open(self.file, "w", encoding="utf-8"):
            pass
        return self.done()

    def done(self):
        self.process.stdout.read()
        self.reader.join()
        return self.process.wait(timeout=60)


def bound(cpus):
    """The cpus of ranks that are bound to one each; none where they are bound to no cpu of their own."""
    return [each[0] for each in cpus if len(each) == 1 and len(allowed) > 1]


def beside(how):
    """As many jobs of one rank as there are cpus, and one more."""
    jobs = [Job(1, *how) for _ in range(min(len(allowed), 4))]
    taken = [cpu for job in jobs for cpu in bound(job.cpus())]
    expect(len(set(taken)) == len(taken), f"{how}: jobs on the same cpus: {taken}")
    more = Job(len(allowed), *how)  # for which too few are left
    expect(bound(more.cpus()) == [], f"{how}: ranks are bound beside {taken}")
    expect(more.end() == 0, f"{how}: {more.errors}")
    expect("too few are left: ranks are bound to none" in more.errors and "not bound" in more.errors,
           f"{how}: the picture says nothing: {more.errors}")
    ignoring = Job(len(allowed), *how, "--set", "other_jobs=ignore")
    expect(sorted(bound(ignoring.cpus())) == allowed, f"{how}: other_jobs=ignore takes account of others")
    expect(ignoring.end() == 0, f"{how}: {ignoring.errors}")

    if taken:  # kill -9 gives them back, and nothing else does
        first = jobs[0]
        children = subprocess.run(["pgrep", "-P", str(first.process.pid)], capture_output=True, text=True, check=False)
        for pid in [first.process.pid, *map(int, children.stdout.split())]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        first.done()
        time.sleep(0.1)
        again = Job(1, *how)
        cpus = bound(again.cpus())
        others = taken[1:]
        expect(not set(cpus) & set(others), f"{how}: after kill -9: {cpus} beside {others}")
        expect(again.end() == 0, f"{how}: {again.errors}")
    for job in jobs[1 if taken else 0:]:
        expect(job.end() == 0, f"{how}: {job.errors}")


beside(["--ranks-as", "threads"])
beside(["--ranks-as", "processes", "-N", "1"] if len(allowed) < 2 else ["--ranks-as", "threads", "--globals", "shared"])

if len(allowed) > 1:
    two = Job(2, "--ranks-as", "processes")
    cpus = two.cpus()
    other = Job(1)
    found = bound(other.cpus())
    expect(not set(found) & set(bound(cpus)), f"beside processes on {cpus}: {found}")
    for job in (two, other):
        expect(job.end() == 0, job.errors)

    # A share that is asked for is claimed whole.
    wide = Job(1, "--cpus-per-rank", "2")
    wide.cpus()
    shares = Job(1)
    found = bound(shares.cpus())
    wide.end(), shares.end()
    its = re.search(r"threads ([0-9,-]+)", wide.errors)
    if its:
        have = set()
        for part in its.group(1).split(","):
            first, _, last = part.partition("-")
            have |= set(range(int(first), int(last or first) + 1))
        expect(not have & set(found), f"a share {sorted(have)}, and another job on {found}")

# Fifty at once.
jobs = [Job(1) for _ in range(50)]
taken = [cpu for job in jobs for cpu in bound(job.cpus())]
expect(len(set(taken)) == len(taken), f"fifty jobs: {sorted(taken)}")
for job in jobs:
    expect(job.end() == 0, f"one of fifty: {job.errors}")

for fault in faults:
    print("FAILED:", fault)
sys.exit(1 if faults else 0)
