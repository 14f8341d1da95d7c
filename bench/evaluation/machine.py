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


def describe(root):
    """(what, value) pairs."""
    cpu = re.search(r"^model name\s*: (.*)$", _read("/proc/cpuinfo"), re.MULTILINE)
    memory = re.search(r"^MemTotal: +(\d+) kB", _read("/proc/meminfo"), re.MULTILINE)
    system = re.search(r'^PRETTY_NAME="(.*)"$', _read("/etc/os-release"), re.MULTILINE)
    is_virtual = "hypervisor" in _read("/proc/cpuinfo")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=False)
    compiler = subprocess.run(
        [os.environ.get("CXX", "c++"), "--version"], capture_output=True, text=True, check=False
    ).stdout.split("\n")[0]
    return [
        ("processor", (cpu[1] if cpu else platform.machine()) + (", a virtual machine" if is_virtual else "")),
        ("cpus", str(len(os.sched_getaffinity(0)))),
        ("memory", f"{int(memory[1]) / 2**20:.1f} GiB" if memory else "unknown"),
        ("system", f"{system[1] if system else platform.system()}, Linux {platform.release()}"),
        ("compiler", compiler),
        ("Pure", f"commit {commit.stdout.strip()}" if commit.returncode == 0 else "of no repository"),
    ]
