"""Two network namespaces that are joined by a cable: to an MPI and to Pure, two machines. Only root can make them.

Each has a host name and System V IPC of its own, so that no MPI takes ranks in the other for neighbours; the cores are
those of this machine. What the launchers use in place of ssh is a script that enters the namespace of an address.
"""

import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

DEVICE = "pure0"
ADDRESSES = ("10.9.0.1", "10.9.0.2")
CABLE_SECONDS = 10


class NoNamespaces(Exception):
    """This process cannot make them; the text says why."""


class TwoHosts:
    """Exists from make() to close(). Namespaces that a killed driver has left behind are removed by the next."""

    def __init__(self):
        self.names = tuple(f"pure-bench-{side}-{os.getpid()}" for side in "ab")
        self._folder = tempfile.TemporaryDirectory(prefix="bench-hosts-")
        self.remote = Path(self._folder.name) / "remote"

    @classmethod
    def make(cls):
        _remove_abandoned()
        hosts = cls()
        try:
            hosts._connect()
            hosts._write_remote()
            _command(*hosts.within(["true"]))
            hosts._wait_for_cable()
        except BaseException:
            hosts.close()
            raise
        return hosts

    def close(self):
        for name in self.names:
            _remove(name)
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def within(self, command):
        """The command that executes `command` on the first host."""
        return _enter(self.names[0], 'hostname "$0" && exec "$@"', self.names[0], *command)

    def _connect(self):
        first, second = self.names
        ends = [f"pb{side}{os.getpid()}" for side in "ab"]  # 15 characters at most
        for name in self.names:
            _command("ip", "netns", "add", name)
        _command("ip", "link", "add", ends[0], "netns", first, "type", "veth", "peer", "name", ends[1], "netns", second)
        for name, end, address in zip(self.names, ends, ADDRESSES):
            _command("ip", "-n", name, "link", "set", end, "name", DEVICE)
            _command("ip", "-n", name, "addr", "add", f"{address}/24", "dev", DEVICE)
            for device in (DEVICE, "lo"):
                _command("ip", "-n", name, "link", "set", device, "up")

    def _wait_for_cable(self):
        """The kernel may take a second to call the devices running, and UCX uses none that is not."""
        end = time.monotonic() + CABLE_SECONDS
        for name in self.names:
            while "state UP" not in _command("ip", "-n", name, "-o", "link", "show", DEVICE):
                if time.monotonic() > end:
                    raise NoNamespaces(f"the cable between them is not up after {CABLE_SECONDS} s")
                time.sleep(0.02)

    def _write_remote(self):
        enter = " ".join(_enter('"$host"', '"hostname $host; $*"'))
        choices = [f"  {address}) host={name} ;;" for address, name in zip(ADDRESSES, self.names)]
        lines = [
            "#!/bin/bash",
            "# remote [OPTION...] ADDRESS COMMAND...",
            "while [[ $1 == -* ]]; do",
            "  case $1 in -l | -p | -o) shift 2 ;; *) shift ;; esac",
            "done",
            "case $1 in",
            *choices,
            '  *) echo "no machine $1" >&2; exit 1 ;;',
            "esac",
            "shift",
            f"exec {enter}",
        ]
        self.remote.write_text("\n".join(lines) + "\n")
        self.remote.chmod(0o755)


def _enter(name, script, *arguments):
    return ["ip", "netns", "exec", name, "unshare", "--uts", "--ipc", "sh", "-c", script, *arguments]


def _command(*words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise NoNamespaces(f"{words[0]}: {error.strerror}") from error
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0]
        raise NoNamespaces(f"{' '.join(words[:3])}: {why}")
    return done.stdout


def _remove(name):
    """With whatever still runs there; nothing, if there is no such namespace."""
    try:
        for pid in _command("ip", "netns", "pids", name).split():
            os.kill(int(pid), signal.SIGKILL)
        _command("ip", "netns", "del", name)
    except (NoNamespaces, ProcessLookupError):
        pass


def _remove_abandoned():
    """The namespaces of drivers that are no longer there."""
    try:
        names = _command("ip", "netns", "list")
    except NoNamespaces:
        return
    for name, pid in re.findall(r"^(pure-bench-[ab]-(\d+))", names, re.MULTILINE):
        if not Path(f"/proc/{pid}").exists():
            _remove(name)
