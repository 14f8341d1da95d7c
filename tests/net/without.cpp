// For tests/net/own_limits.sh: a program that some system calls are forbidden to, as a container's filter does
// (seccomp(2)): without CALL[=ERRNO]... -- COMMAND...
//
// A call fails with EPERM, or with the number ERRNO. It, and all that it starts, cannot get them back.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct forbidden_call {
  const char* name;
  unsigned number;
  int domain;  // of socket(2) alone; -1: whatever the arguments
};

constexpr forbidden_call calls[] = {
    {"process_vm_readv", SYS_process_vm_readv, -1},
    {"sched_setaffinity", SYS_sched_setaffinity, -1},
    {"membarrier", SYS_membarrier, -1},
    {"unix_socket", SYS_socket, AF_UNIX},
    {"bind", SYS_bind, -1},
    {"sendto", SYS_sendto, -1},
    {"pidfd_open", SYS_pidfd_open, -1},
    {"memfd_create", SYS_memfd_create, -1},
    {"fallocate", SYS_fallocate, -1},
};

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); }

int forbid(const std::string& word, std::vector<sock_filter>& filter) {
  const std::string name = word.substr(0, word.find('='));
  const int error = name.size() == word.size() ? EPERM : std::atoi(word.c_str() + name.size() + 1);
  for (const forbidden_call& each : calls) {
    if (name != each.name) continue;
    const unsigned char further = each.domain < 0 ? 1 : 3;  // instructions that another call passes over
    filter.push_back(load(offsetof(seccomp_data, nr)));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, each.number, 0, further));
    if (each.domain >= 0) {
      filter.push_back(load(offsetof(seccomp_data, args)));  // the lower half of the first one
      filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(each.domain), 0, 1));
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
    return 0;
  }
  std::fprintf(stderr, "without: no call %s\n", word.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<sock_filter> filter;
  int at = 1;
  for (; at < argc && std::strcmp(argv[at], "--") != 0; ++at) {
    if (forbid(argv[at], filter) != 0) return 2;
  }
  if (at + 1 >= argc) return 2;
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog all{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0) {
    std::perror("without: the kernel takes no filter");
    return 77;
  }
  execvp(argv[at + 1], argv + at + 1);
  std::perror(argv[at + 1]);
  return 127;
}
