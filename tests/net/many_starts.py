"""Starts a job many times, and looks what is left: many_starts.py TIMES COMMAND...

Orphans come here, for this process is the parent of those whose own parent has ended. Ends with 1 if a job fails, or if a
process, a descriptor of this one or an abstract socket is left at the end.
"""
import ctypes
import os
import subprocess
import sys

PR_SET_CHILD_SUBREAPER = 36
AT_A_TIME = 4


def sockets() -> set[str]:
    """Names of doorbells (src/net_shm/doorbell.cpp)."""
    with open("/proc/net/unix", encoding="utf-8") as file:
        return {line.split()[-1] for line in file if "@pure-" in line}


def shared_kib() -> int:
    """Memory of memfds and tmpfs, of the whole machine: other jobs have some, too."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Shmem:"))


def children() -> list[int]:
    """All of them, those that have ended, too."""
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="utf-8") as file:
        return [int(word) for word in file.read().split()]


def main() -> int:
    times, command = int(sys.argv[1]), sys.argv[2:]
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit("many_starts: no subreaper")
    sockets_before, descriptors_before, shared_before = sockets(), len(os.listdir("/proc/self/fd")), shared_kib()
    running: list[subprocess.Popen] = []
    wrong = 0
    for _ in range(times):
        if len(running) == AT_A_TIME:
            wrong += running.pop(0).wait() != 0
        running.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
    wrong += sum(each.wait() != 0 for each in running)
    left = children()
    descriptors = len(os.listdir("/proc/self/fd"))
    made = sockets() - sockets_before
    print(f"{times} jobs: {wrong} failed; {len(left)} processes, {descriptors - descriptors_before} descriptors and "
          f"{len(made)} sockets are left; shared memory of the machine {shared_before} -> {shared_kib()} KiB")
    return 1 if wrong or left or descriptors > descriptors_before or made else 0


if __name__ == "__main__":
    sys.exit(main())
