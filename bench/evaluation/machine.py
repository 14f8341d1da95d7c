"""What the report says of the machine."""

import os
import platform
import re
import subprocess
from pathlib import Path


def _read(path):
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def _said(root, *command):
    """What a program says; empty where there is none."""
    try:
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def describe(root):
    """(what, value) pairs."""
    cpu = re.search(r"^model name\s*: (.*)$", _read("/proc/cpuinfo"), re.MULTILINE)
    memory = re.search(r"^MemTotal: +(\d+) kB", _read("/proc/meminfo"), re.MULTILINE)
    system = re.search(r'^PRETTY_NAME="(.*)"$', _read("/etc/os-release"), re.MULTILINE)
    release = ".".join(platform.release().split(".")[:2])
    is_virtual = "hypervisor" in _read("/proc/cpuinfo")
    commit = _said(root, "git", "rev-parse", "--short", "HEAD")
    compiler = _said(root, os.environ.get("CXX", "c++"), "--version").split("\n")[0]
    return [
        ("processor", (cpu[1] if cpu else platform.machine()) + (", a virtual machine" if is_virtual else "")),
        ("cpus", str(len(os.sched_getaffinity(0)))),
        ("memory", f"{int(memory[1]) / 2**20:.1f} GiB" if memory else "unknown"),
        ("system", f"{system[1] if system else platform.system()}, Linux {release}"),
        ("compiler", compiler),
        ("Pure", f"commit {commit}" if commit else "of no repository"),
    ]
