// The table of the settings. See settings.hpp.
#include "base/settings.hpp"

#include <array>
#include <utility>

#include "base/settings_of_purerun.hpp"

namespace pure::core {
namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB, TiB = 1024 * GiB;

using unit = setting_unit;

constexpr setting_row rows[] = {
    {.name = "PURE_RANKS",
     .field = &settings::ranks,
     .unit = unit::number,
     .lowest = 1,
     .highest = 32'768,
     .otherwise = "one for each allowed core",
     .meaning = "How many ranks a job has. The default counts the cores of the affinity mask, but no more than the "
                "processor time that the cgroup grants. `purerun -n` sets it",
     .read_by = "launch"},
    {.name = "PURE_MAP_BY",
     .field = &settings::map_by,
     .unit = unit::text,
     .texts = "core, numa, socket, none, or file:PATH",
     .meaning =
         "Where ranks run. `core` shares out the cores in order, `numa` and `socket` deal the ranks out to NUMA nodes "
         "or sockets in turn (`node` means `numa`), `none` leaves them unbound; a file has one line `RANK CPU-LIST` for each rank "
         "of the whole job. The only rank of a process that nobody has started as part of a job is bound only if this is "
         "set. `purerun --map-by` sets it",
     .read_by = "launch"},
    {.name = "PURE_CPUS_PER_RANK",
     .field = &settings::cpus_per_rank,
     .unit = unit::number,
     .lowest = 1,
     .highest = 65'536,
     .otherwise = "all that may be used, shared out",
     .meaning =
         "How many cpus a rank has for the threads that its program makes, which are OpenMP's, say: its own thread "
         "is bound to one of them. Helpers keep out of cpus that are asked for so. `purerun --cpus-per-rank` sets it",
     .read_by = "launch"},
    {.name = "PURE_OTHER_JOBS",
     .field = &settings::other_jobs,
     .unit = unit::text,
     .texts = "avoid or ignore",
     .words = {"avoid", "ignore"},
     .meaning =
         "What other jobs of Pure on the machine are to a job: it takes cpus that none of them has for a rank, and is "
         "bound nowhere if too few are left; or nothing",
     .read_by = "launch"},
    {.name = "PURE_HELPERS",
     .field = &settings::helpers,
     .unit = unit::text,
     .texts = "a number, or auto",
     .otherwise = "0",
     .meaning =
         "How many helper threads a job has: threads without a rank, on cores that have none, which execute chunks of "
         "tasks. `auto` is one for each such core. `purerun --helpers` sets it",
     .read_by = "launch"},
    {.name = "PURE_REPORT_BINDINGS",
     .field = &settings::report_bindings,
     .unit = unit::on_off,
     .meaning = "Whether the start of a job prints where its ranks run. `purerun --report-bindings` sets it",
     .read_by = "launch"},
    {.name = "PURE_PROCESSES",
     .field = &settings::processes,
     .unit = unit::number,
     .lowest = 1,
     .highest = 1'000'000,
     .otherwise = "as many as the launcher has started",
     .meaning = "How many processes a job has; any other number is an error. `purerun -N` sets it",
     .read_by = "launch"},
    {.name = "PURE_PLACEMENT",
     .field = &settings::placement,
     .unit = unit::text,
     .texts = "block, round-robin, file:PATH or order:PATH",
     .meaning =
         "Which ranks the processes of a job have. `block` gives each consecutive ranks, `round-robin` deals them out in "
         "turn; a file has lines `RANKS PROCESS`; an order is a file MPICH_RANK_ORDER, as CrayPAT writes it. "
         "`purerun --placement` sets it",
     .read_by = "launch"},
    {.name = "PURE_HOST_SPLIT",
     .field = &settings::host_split,
     .unit = unit::text,
     .texts = "cores, numa or none",
     .words = {"cores", "numa", "none"},
     .meaning =
         "How the processes of one machine share its cores, if their launcher has not bound them: equal shares of "
         "neighbouring cores, whole NUMA nodes, or all cores for each. `purerun --ppn numa` sets it",
     .read_by = "launch"},
    {.name = "PURE_NETWORK",
     .field = &settings::network,
     .unit = unit::text,
     .texts = "auto, shm, mpich or openmpi",
     .words = {"auto", "shm", "mpich", "openmpi"},
     .meaning =
         "What connects the processes of a job: memory that they share, where purerun has started them itself, or "
         "an MPI; `auto` is what suits whoever has started them. "
         "`purerun --mpi` sets it",
     .read_by = "net"},
    {.name = "PURE_NEAR_NETWORK",
     .field = &settings::near_network,
     .unit = unit::text,
     .texts = "auto, shm or off",
     .words = {"auto", "shm", "off"},
     .meaning =
         "What connects those processes of a job over an MPI that are on one host: memory that they share (shm), or "
         "the MPI (off). `auto` is shm in jobs of several hosts. The same for all processes",
     .read_by = "net"},
    {.name = "PURE_NEAR_PROCESSES",
     .field = &settings::near_processes,
     .unit = unit::number,
     .lowest = 1,
     .highest = 4096,
     .otherwise = "all of a host",
     .meaning = "The most processes that share one memory, where a network over an MPI has that. The same for all",
     .read_by = "net"},
    {.name = "PURE_PLUGIN_DIR",
     .field = &settings::plugin_dir,
     .unit = unit::text,
     .texts = "a folder",
     .otherwise = "beside libpure",
     .meaning = "Where the network's plug-ins (libpure_net_*.so) are",
     .read_by = "net"},
    {.name = "PURE_NET_MESSAGE_BYTES",
     .field = &settings::net_message_bytes,
     .unit = unit::bytes,
     .lowest = 1 * KiB,
     .highest = 16 * MiB,
     .meaning = "The most that travels between two processes as one message: small messages of their ranks, packed "
                "together. The same for all processes",
     .read_by = "net"},
    {.name = "PURE_NET_WITHOUT",
     .field = &settings::net_without,
     .unit = unit::text,
     .texts = "a list of direct, bare, foreseen, runs, pacing, given",
     .otherwise = "with all",
     .meaning = "Which of the ways that messages between processes take for speed alone are left out, to see what they "
                "bring",
     .read_by = "net"},
    {.name = "PURE_ASYNC_PROGRESS",
     .field = &settings::async_progress,
     .unit = unit::text,
     .texts = "auto, on (1) or off (0)",
     .words = {"auto", "on", "off", "1", "0"},
     .meaning =
         "Whether each of several processes has a thread that moves messages between processes on while its ranks "
         "compute; a process by itself needs none. `auto`: from the first window on that has memory which other "
         "processes reach by messages only, or is checked (PURE_CHECK). `purerun --async-progress` sets it",
     .read_by = "net"},
    {.name = "PURE_ASYNC_PROGRESS_BYTES",
     .field = &settings::async_progress_bytes,
     .unit = unit::bytes,
     .lowest = 0,
     .highest = 1024 * TiB,
     .meaning =
         "With PURE_ASYNC_PROGRESS, the most memory in which a process keeps large messages of other processes that "
         "no receive has matched; further ones stay with their senders",
     .read_by = "net"},
    {.name = "PURE_WINDOW_TRANSPORT",
     .field = &settings::window_transport,
     .unit = unit::text,
     .texts = "auto or messages",
     .words = {"auto", "messages"},
     .meaning =
         "How the ranks of a process reach the windows' memory in other processes. `auto`: processes of one machine "
         "map the memory that windows have allocated, and everything else is reached by messages; `messages`: as if "
         "each process were on a machine of its own. The same for all processes",
     .read_by = "window"},
    {.name = "PURE_EAGER_LIMIT",
     .field = &settings::eager_limit_bytes,
     .unit = unit::bytes,
     .lowest = 64,
     .highest = 16 * MiB,
     .meaning =
         "The largest message that is copied through the ring; a larger one is copied straight from the sender's "
         "buffer to the receiver's",
     .read_by = "transport"},
    {.name = "PURE_RING_BYTES",
     .field = &settings::ring_bytes,
     .unit = unit::bytes,
     .lowest = 4 * KiB,
     .highest = 1 * GiB,
     .power_of_two = true,
     .meaning = "The memory of the ring between a sender and a receiver; it must hold four messages of "
                "PURE_EAGER_LIMIT",
     .read_by = "transport"},
    {.name = "PURE_SHARED_COPY_MIN",
     .field = &settings::shared_copy_min_bytes,
     .unit = unit::bytes,
     .lowest = 4 * KiB,
     .highest = 1024 * TiB,
     .meaning = "The smallest message that the sender helps to copy",
     .read_by = "transport"},
    {.name = "PURE_COPY_PIECE",
     .field = &settings::copy_piece_bytes,
     .unit = unit::bytes,
     .lowest = 1 * KiB,
     .highest = 1 * GiB,
     .meaning = "The size of the pieces in which sender and receiver share a copy",
     .read_by = "transport"},
    {.name = "PURE_PACKED_COPY_MAX",
     .field = &settings::packed_copy_max_bytes,
     .unit = unit::bytes,
     .lowest = 0,
     .highest = 1 * GiB,
     .meaning =
         "A message whose bytes lie far apart at both ends is packed by its sender and unpacked by its receiver, if the "
         "cache lines in which they are take no more than this (about half of a core's own cache is a good value); "
         "others are copied from layout to layout. Likewise a message in a row that was just written (PURE_CELLS). 0: none "
         "is packed",
     .read_by = "transport"},
    {.name = "PURE_TAKE_LINES",
     .field = &settings::take_lines,
     .unit = unit::text,
     .texts = "auto, on or off",
     .words = {"auto", "on", "off"},
     .meaning =
         "Whether who gives memory of a message back (PURE_CELLS) writes to the cache lines that it has read, so that they "
         "come back to the sender faster; messages are then packed if their bytes lie half as far apart. `auto`: on "
         "AMD's processors",
     .read_by = "transport"},
    {.name = "PURE_CELLS",
     .field = &settings::cells,
     .unit = unit::text,
     .texts = "auto, on or off",
     .words = {"auto", "on", "off"},
     .meaning =
         "Whether messages of 193 bytes to PURE_PACKED_COPY_MAX (128 KiB at least) go through memory that changes hands "
         "with them: `on`: if there is some free; `off`: none. `auto`: between processes all; between ranks of a process "
         "those of up to PURE_EAGER_LIMIT, and longer ones whose buffers change from one message to the next and are slow "
         "to copy",
     .read_by = "transport"},
    {.name = "PURE_SPIN_US",
     .field = &settings::spin_us,
     .unit = unit::microseconds,
     .lowest = 0,
     .highest = 10'000'000,
     .meaning =
         "How long a rank that waits keeps looking before it parks and leaves its core to others; 100 us at most "
         "where a foreign program has just taken the core, unless this is set to more than 50 ms",
     .read_by = "wait"},
    {.name = "PURE_POLL_PAUSES",
     .field = &settings::poll_pauses,
     .unit = unit::number,
     .lowest = 0,
     .highest = 1000,
     .otherwise = "0 (measured at the start)",
     .meaning = "Pause instructions between two looks of a rank that waits; 0 measures what suits the machine",
     .read_by = "wait"},
    {.name = "PURE_HANG_TIMEOUT",
     .field = &settings::hang_timeout_s,
     .unit = unit::seconds,
     .lowest = 0,
     .highest = 1'000'000,
     .otherwise = "0 (no warnings)",
     .meaning = "How long a rank may wait in one call before a warning says what every rank does, and where; it comes "
                "again each time that the wait is twice as long. A hang that threads of others keep from ending the "
                "job is warned of after 10 s anyway. `purerun --hang-timeout` sets it",
     .read_by = "launch"},
    {.name = "PURE_HANG_ENDS",
     .field = &settings::hang_ends_s,
     .unit = unit::seconds,
     .lowest = 0,
     .highest = 1'000'000,
     .otherwise = "0 (never)",
     .meaning =
         "When a hang that threads of others keep from ending the job (OpenMP's, say) ends it all the same: when "
         "all ranks of the hang have waited so long. For batch jobs whose other threads free no rank. All other "
         "hangs end the job at once",
     .read_by = "launch"},
    {.name = "PURE_STACK_BYTES",
     .field = &settings::stack_bytes,
     .unit = unit::bytes,
     .lowest = 64 * KiB,
     .highest = 64 * GiB,
     .otherwise = "as the main thread's (ulimit -s)",
     .meaning = "The stack of a rank. Only the part that a rank touches takes memory",
     .read_by = "launch"},
    {.name = "PURE_HUGE_PAGES",
     .field = &settings::huge_pages,
     .unit = unit::text,
     .texts = "off, transparent or reserved",
     .words = {"off", "transparent", "reserved"},
     .meaning =
         "On which pages rings and the stacks of ranks lie. `transparent` asks the kernel for huge pages where it "
         "has some (/sys/kernel/mm/transparent_hugepage/enabled must be `madvise` or `always`), `reserved` takes "
         "them from the pool that /proc/sys/vm/nr_hugepages makes: for each rank as many as its stack has, and "
         "few for all rings. Where they are not granted, a warning says why, and normal pages are used",
     .read_by = "launch"},
    {.name = "PURE_UNEXPECTED_WARN",
     .field = &settings::unexpected_warn,
     .unit = unit::number,
     .lowest = 1,
     .highest = 1'000'000'000'000,
     .meaning =
         "How many messages without a matching receive may pile up at a rank before a warning names their senders",
     .read_by = "match"},
    {.name = "PURE_GUIDED_STEALING",
     .field = &settings::guided_stealing,
     .unit = unit::on_off,
     .meaning =
         "Whether a waiting rank takes a share of a task's remaining chunks at once (guided self-scheduling), rather "
         "than one chunk before it looks at its own condition again",
     .read_by = "task"},
    {.name = "PURE_STEAL_FROM",
     .field = &settings::steal_from,
     .unit = unit::text,
     .texts = "sticky, random or near",
     .words = {"sticky", "random", "near"},
     .meaning =
         "Where a waiting rank looks first for chunks: at the rank that had some the last time, at any rank, or at "
         "those of its own core, NUMA node and socket before others",
     .read_by = "task"},
    {.name = "PURE_CHECK",
     .field = &settings::check,
     .unit = unit::on_off,
     .meaning =
         "Whether Pure looks for errors that programs make in messages and collectives: buffers that change while "
         "an operation has them, other types or arguments than the other ranks', requests and messages that are "
         "left over (docs/checks.md). On in debug builds of Pure. `purerun --check` sets it",
     .read_by = "match, coll"},
    {.name = "PURE_REPRODUCIBLE_SUMS",
     .field = &settings::reproducible_sums,
     .unit = unit::on_off,
     .meaning =
         "Whether reductions round sums of float and double once, so that they do not depend on how the ranks are "
         "grouped (docs/reproducible_sums.md). `purerun --reproducible-sums` sets it",
     .read_by = "coll"},
    {.name = "PURE_TUNING",
     .field = &settings::tuning,
     .unit = unit::text,
     .texts = "the path of a file that `pure bench tune` has written",
     .otherwise = "the built-in table",
     .meaning = "Which table chooses the algorithms of collectives; `pure info --tuning` prints it",
     .read_by = "coll"},
    {.name = "PURE_MAX_TASK_CHUNKS",
     .field = &settings::max_task_chunks,
     .unit = unit::number,
     .lowest = 1,
     .highest = 4096,
     .meaning = "The most chunks in which a task is cut",
     .read_by = "task"},
    {.name = "PURE_STATS",
     .field = &settings::stats,
     .unit = unit::on_off,
     .meaning =
         "Whether the end of a job prints what each rank did: time computing, waiting and stealing, chunks, messages. "
         "`purerun --stats` sets it",
     .read_by = "launch"},
    {.name = "PURE_TRACE",
     .field = &settings::trace,
     .unit = unit::text,
     .texts = "the path of the file to write",
     .otherwise = "none",
     .meaning = "Where the end of a job writes its timeline. `purerun --trace` sets it",
     .read_by = "launch"},
    {.name = "PURE_TRACE_EVENTS",
     .field = &settings::trace_events,
     .unit = unit::number,
     .lowest = 1000,
     .highest = 1'000'000'000,
     .meaning = "The most events of one rank in the timeline; it ends there. An event takes 88 bytes of memory",
     .read_by = "launch"},
};

template <std::size_t... First, std::size_t... Second>
constexpr auto joined(std::index_sequence<First...> /*of users*/, std::index_sequence<Second...> /*of purerun*/) {
  return std::array{rows[First]..., rows_of_purerun[Second]...};
}

constexpr auto all_rows = joined(std::make_index_sequence<std::size(rows)>(),
                                 std::make_index_sequence<std::size(rows_of_purerun)>());

}  // namespace

std::span<const setting_row> setting_rows() noexcept { return all_rows; }

}  // namespace pure::core
