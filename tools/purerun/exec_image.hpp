// The program that a new process becomes.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "start/thread_binding.hpp"

namespace purerun {

/// Everything that exec needs, made before the fork. The strings have to stay.
class exec_image {
 public:
  exec_image(const std::string& program, const std::vector<std::string>& command,
             const std::vector<std::string>& variables);

  /// Returns only on failure, the error in errno.
  void execute() const;

 private:
  std::string path_;
  std::vector<char*> arguments_, environment_;
  std::vector<std::string> through_shell_;
  std::vector<char*> shell_arguments_;
  bool is_script_ = false;
};

/// For a process that purerun, `parent`, has just forked.
struct new_process {
  pid_t parent = 0;
  sigset_t signals{};                          ///< blocked in it
  int input = -1;                              ///< its stdin; -1: purerun's
  int errors = -1;                             ///< its stderr; -1: purerun's
  const pure::core::cpu_mask* cpus = nullptr;  ///< where it may run; null: where purerun may
};

/// In the new process, which dies with purerun. Returns only if it cannot become that: the error in errno.
void become(const exec_image& program, const new_process& as);

}  // namespace purerun
