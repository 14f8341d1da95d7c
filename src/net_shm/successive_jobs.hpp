// One job after the other in one segment: the processes that purerun has started run a script, say, and each program of
// Pure in it is a job of all of them.
//
//   away -> here    a program has come as that process
//   here -> ended   it will touch the segment no more
//   ended -> away   all processes at once, when all have ended: by the first program of the next job that comes
//
// A program that comes while others are still in the job before waits for their end: what it would find in the segment
// is theirs. Who renews the segment holds a lock of its file (a record lock of fcntl(2)), which the kernel takes back
// from a process that is killed; the next one to hold it renews all once more (segment_head::is_being_renewed).
#pragma once

#include "net_shm/job_segment.hpp"

namespace pure::net_shm {

/// Before a program of purerun's says that it has come: afterwards the segment is as new, or that of the job which it
/// belongs to. Waits while other processes are in the job before. Throws pure::Error (state) if another program is that
/// process now, if purerun has ended, or if the segment cannot be renewed.
void begin_job(const opened_segment& segment, int process);

/// The last that a program does in the segment. In a signal handler, too.
void leave_job(const segment_view& front, int process) noexcept;

/// Throws pure::Error (state): two programs cannot be that process at a time.
[[noreturn]] void refuse_second_program(const segment_view& front, int process);

}  // namespace pure::net_shm
