// Copies from another process's memory into this one's (process_vm_readv(2)), without a step in between. Whether the
// kernel allows that is known when it has been tried: Yama's ptrace_scope, a container's seccomp filter, or user
// namespaces may forbid it. A process is named by its pid: who has another pid namespace is not to be reached so
// (segment_view::have_same_pid_space()).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace pure::net_shm {

enum class copy_outcome {
  done,
  forbidden,  // by the kernel, for good
  gone,       // the process has ended
  wrong,      // its memory is not what it has told, or ours not what we were told
};

/// Any thread. Blocks until all of it is copied.
copy_outcome copy_from(pid_t process, std::uint64_t address, void* to, std::size_t bytes) noexcept;

/// Lets other processes of this user read the memory of this one, where Yama asks for that (ptrace_scope 1).
void allow_peers() noexcept;

}  // namespace pure::net_shm
