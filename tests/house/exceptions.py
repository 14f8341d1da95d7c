"""What source_rules.py lets stand though a rule is against it, and why. Each entry has to be used."""

# Loops that poll and are no wait: where, and why. Whatever waits for another rank calls wait_until.
LOOPS_OUTSIDE_THE_WAIT = {
    ("src/base/output.cpp", "has_room_until"): "poll(2) sleeps, for two seconds in all",
    ("src/coll/spanning.cpp", "spanning_collective::poll"): "goes over the steps, and ends at one that is not complete",
    ("src/hang/attach_point.cpp", "is_ready"): "poll(2) sleeps; again only after a signal",
    ("src/hang/crash.cpp", "on_fatal_signal"): "sleeps until the process ends, in a signal handler",
    ("src/hang/stack_traces.cpp", "collect_stacks"): "no rank: sleeps, for a limited time, until others have answered",
    ("src/gateway/gateway.cpp", "gateway::serve"): "does the work that others have left meanwhile",
    ("src/gateway/control.cpp", "gateway::look_at_messages"): "at most 64, each of which has moved something",
    ("src/gateway/ranks.cpp", "gateway::stop_expecting"): "wait_until throws when the job has failed",
    ("src/libc/child_replacements.cpp", "wait_for_one_of"): "poll(2) sleeps until a child ends",
    ("src/start/calling_rank.cpp", "wait_for_threads_of_rank"): "no call of the rank: std::atomic::wait sleeps",
    ("src/start/exit.cpp", "stay_if_left_over"): "sleeps until the process ends, in a thread that has outlived its rank",
    ("src/match/message_checks.cpp", "message_checks::sent_by"): "the text of an error: sleeps, at most 0.2 s",
    ("src/net_mpi/close.cpp", "let_launcher_read"): "the end of the process: sleeps, at most half a second",
    ("src/window/notification.hpp", "basic_notification::look_or_sleep"): "again only if something has been told meanwhile",
    ("src/window/process_windows.cpp", "process_windows::end_part"): "wait_until throws when the job has failed",
    ("src/window/remote_access.cpp", "remote_access::~remote_access"): "wait_until throws when the job has failed",
    ("src/runtime/job.cpp", "job::stop_together"): "the end of a failed job: sleeps, at most two seconds",
    ("src/runtime/monitor.cpp", "monitor::wait"): "polls as long as that moves something; then the monitor sleeps",
    ("src/runtime/mpi_lock.cpp", "mpi_lock::take"): "short, and nobody would notify",
    ("src/start/network_meeting.cpp", "network_meeting::wait_until_done"): "before there are ranks; sleeps after a while",
    ("src/start/progress_thread.cpp", "progress_thread::run"): "no rank: a thread that polls and sleeps, all its life",
    ("src/transport/ring_ends.hpp", "ring_receiver::front"): "passes a mark at the end of the ring, of which there is one",
}

# Who writes otherwise than through src/base/output.hpp (a tool's results: tools/standard_output.hpp), and why.
OUTPUT_ELSEWHERE = {
    "src/base/output.cpp": "it is the place",
    "src/hang/crash.cpp": "symbols by backtrace_symbols_fd, while no_output_signals lives",
    "src/libc/argument_replacements.cpp": "the program's own words, as libc says them",
    "src/loader/dynamic_linker.cpp": "gives the child another stdout and stderr, and writes nothing",
    "src/libc/error_replacements.cpp": "the program's own words, as libc says them",
    "src/libc/printing_replacements.cpp": "the program's own output, as libc writes it",
    "src/libc/stream_state.cpp": "opens the program's streams, and writes nothing",
    "src/libc/stream_replacements.cpp": "does to a stream what the program asks for, and writes nothing",
    "src/net_mpi/close.cpp": "looks whether a pipe has been read, and writes nothing",
    "src/runtime/launcher_link.cpp": "the program's stdout writes whole lines; writes nothing",
    "src/start/error_exit.cpp": "the program's own words, as libc says them",
    "src/trace/trace_file.cpp": "the timeline, which says what is wrong with its file",
    "tools/pure/trace_read.cpp": "a line of progress, if that is a terminal",
    "tools/purerun/exec_image.cpp": "gives the child another stderr, and writes nothing",
    "tools/purerun/filtered_stderr.cpp": "a launcher's words, as they are, by write_all of src/base/output.hpp",
    "tools/standard_output.hpp": "it is the place of the tools",
}

# Files of src, outside of api, that have one name: in how many rooms it is. The number may get smaller; one with a name
# of its own is not here.
FILES_OF_ONE_NAME = {
    "calling_rank.cpp": 2,
    "calling_rank.hpp": 2,
    "create.cpp": 3,
    "create.hpp": 3,
    "message_streams.hpp": 2,
    "open.cpp": 2,
    "outgoing.cpp": 2,
    "outgoing.hpp": 2,
    "record.hpp": 2,
    "unreceived.cpp": 2,
    "wait_kinds.hpp": 4,
}

# Sources that include each other in a circle (a header and its .cpp are one source). How many there are in the largest knot
# of a room, where these are more: the number may get smaller.
MOST_FILES_OF_A_KNOT = 3
KNOTS_OF_MANY_FILES = {
    "runtime": 10,  # a job has ranks, which wait, and end it
}

# Classes whose members are defined in more files than that have to become parts that own their state.
MOST_FILES_OF_A_CLASS = 4
CLASSES_IN_MANY_FILES = {
    "bodies": "a namespace: the functions of the MPI door, by chapter",
}

# A class with more members than that (functions and data that it declares) has to become parts that own their state,
# unless a row of docs/decisions.md says why it is one. How many it has now: it may get smaller, and then the number too.
MOST_MEMBERS = 60
CLASSES_OF_MANY_MEMBERS = {
    "gateway": (75, "D-one-gateway"),
    "job": (73, "D-one-job"),
}

# Comments of a room that begin with "Of", "What" or "The same". The numbers may get smaller.
COMMENTS_THAT_POINT_ELSEWHERE = {
    "aggregation": 63, "api": 50, "base": 21, "coll": 32, "comm": 24, "gateway": 57, "hang": 19, "layout": 4, "libc": 41,
    "loader": 45, "machine": 16, "match": 65, "net_mpi": 6, "net_shm": 10, "network": 6, "objects": 24, "runtime": 45,
    "start": 21, "task": 7, "trace": 12, "transport": 3, "window": 57,
}
