"""What is between the processes of a benchmark of several processes: the shared memory of an MPI, or TCP.

Pure and the MPI that it is compared with are told what to use by the same variables of the environment, and the MPI is
the very one that Pure's plug-in is built for. TCP goes through the cable between two hosts (hosts.py), where these can
be made; elsewhere through the loopback device, with shared memory switched off for all ranks, so that a process can
have one rank only: ranks of one process should have shared memory, whatever is between the processes.
"""

import re
from dataclasses import dataclass

from driver.errors import BenchError
from driver.hosts import ADDRESSES, DEVICE, TwoHosts
from driver.systems import System, mpi_from

PLUGIN_FAMILIES = ("mpich", "openmpi")


def plugin_mpis(release):
    """{name: System}: the MPIs that Pure, as it is built in the folder `release`, has plug-ins for."""
    cache = release / "CMakeCache.txt"
    values = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(), re.MULTILINE)) if cache.exists() else {}
    found = {}
    for family in PLUGIN_FAMILIES:
        if not (release / "lib" / f"libpure_net_{family}.so").exists():
            continue
        # cmake/find_mpis.cmake: by the family's own name, or else a plain mpicxx that belongs to it.
        wrappers = [values.get(key, "") for key in (f"PURE_MPICXX_{family}", "PURE_MPICXX")]
        wrapper = next((path for path in wrappers if path and not path.endswith("-NOTFOUND")), None)
        if wrapper is None:
            raise BenchError(f"{cache} does not say which compiler wrapper libpure_net_{family}.so is built with")
        folder, slash, name = wrapper.rpartition("/")
        found[family] = mpi_from(family, folder + slash + name.replace("mpicxx", "mpicc", 1))
    return found


@dataclass(frozen=True)
class Link:
    network: str  # shm, tcp
    mpi: System
    processes: int
    ranks: int
    hosts: TwoHosts | None = None  # None: all on this machine

    @property
    def ranks_per_process(self):
        return self.ranks // self.processes

    @property
    def description(self):
        if self.network == "shm":
            return f"over the shared memory of {self.mpi.name} {self.mpi.version}"
        through = "through the loopback device" if self.hosts is None else "between two network namespaces"
        return f"over TCP {through}, {self.mpi.name} {self.mpi.version}"

    @property
    def devices(self):
        """The network devices whose bytes are counted: the one that the messages between the processes must go through,
        and the one that messages within a process must not."""
        if self.network == "shm":
            return ()
        return ("lo",) if self.hosts is None else (DEVICE, "lo")

    @property
    def environment(self):
        """What makes the MPI use this network; for its own ranks, and for Pure's processes."""
        if self.network == "shm":
            return {}
        device = self.devices[0]
        within = self.ranks_per_process > 1  # shared memory inside a host
        if self.mpi.family == "openmpi":
            shared_memory = "sm" if int(self.mpi.version.partition(".")[0]) >= 5 else "vader"
            found = {
                "OMPI_MCA_pml": "ob1",
                "OMPI_MCA_btl": f"tcp,self,{shared_memory}" if within else "tcp,self",
                "OMPI_MCA_btl_tcp_if_include": device,
                "OMPI_MCA_oob_tcp_if_include": device,
                "PRTE_MCA_prte_if_include": device,  # version 5
            }
            if self.hosts:
                found |= {"OMPI_MCA_plm_rsh_agent": str(self.hosts.remote)}
                found |= {"PRTE_MCA_plm_ssh_agent": str(self.hosts.remote)}
            return found
        # MPICH is built for UCX or for libfabric. sm: all that UCX has for shared memory, cma for large messages, too.
        found = {
            "UCX_TLS": "tcp,self,sm" if within else "tcp,self",
            "UCX_NET_DEVICES": device,
            "FI_PROVIDER": "tcp",
            "FI_TCP_IFACE": device,
            "HYDRA_IFACE": device,
        }
        if not within:
            found["MPIR_CVAR_NOLOCAL"] = "1"
        if self.hosts:
            found |= {"HYDRA_LAUNCHER": "rsh", "HYDRA_LAUNCHER_EXEC": str(self.hosts.remote)}
        return found

    def purerun_options(self):
        options = ["-N", str(self.processes), "--mpi", self.mpi.family, "--mpiexec", self.mpi.mpiexec]
        return [*options, "--hosts", ",".join(ADDRESSES)] if self.hosts else options

    def mpiexec_options(self):
        if self.hosts is None:
            return []
        each = ",".join(f"{address}:{self.ranks_per_process}" for address in ADDRESSES)
        return ["--host" if self.mpi.family == "openmpi" else "-hosts", each]

    def within(self, command):
        """The command that starts `command` where it belongs."""
        return self.hosts.within(command) if self.hosts else command

    def problem_of(self, sizes, traffic):
        """Why a run was not what it should be, or None. `sizes`: {case: bytes of a message}; `traffic`: {case:
        (repetitions, bytes through each of the devices)}, both directions together."""
        if not self.devices:
            return None
        for case, size in sizes.items():
            if case not in traffic:
                return f"it did not report how much of '{case}' went through {self.devices[0]}"
            repetitions, counted = traffic[case]
            least = repetitions * max(size, SMALLEST_MESSAGE)
            if counted[0] < least:
                return (
                    f"'{case}' did not go over TCP: {repetitions} repetitions need {least} bytes or more, but only "
                    f"{counted[0]} went through {self.devices[0]}"
                )
            if len(counted) > 1 and counted[1] > least + OTHER_TRAFFIC:
                return (
                    f"'{case}' did not go through shared memory within the hosts: {counted[1]} bytes went through "
                    f"{self.devices[1]}"
                )
        return None


SMALLEST_MESSAGE = 8
OTHER_TRAFFIC = 65536  # what launchers may say meanwhile
