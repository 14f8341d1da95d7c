#include "purerun/exec_image.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

namespace purerun {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));  // exec's old promise
  result.push_back(nullptr);
  return result;
}

// What the shell does with an executable file that the kernel does not know: a script without a first line "#!".
bool looks_like_a_script(const std::string& path) {
  std::ifstream file(path);
  std::array<char, 256> start{};
  file.read(start.data(), start.size());
  return std::find(start.begin(), start.begin() + file.gcount(), '\0') == start.begin() + file.gcount();
}

}  // namespace

exec_image::exec_image(const std::string& program, const std::vector<std::string>& command,
                       const std::vector<std::string>& variables)
    : path_(program), arguments_(pointers(command)), environment_(pointers(variables)), through_shell_{"sh", program} {
  through_shell_.insert(through_shell_.end(), command.begin() + 1, command.end());
  shell_arguments_ = pointers(through_shell_);
  is_script_ = looks_like_a_script(program);
}

void exec_image::execute() const {
  execve(path_.c_str(), arguments_.data(), environment_.data());
  if (errno == ENOEXEC && is_script_) execve("/bin/sh", shell_arguments_.data(), environment_.data());
}

void become(const exec_image& program, const new_process& as) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != as.parent) _exit(1);  // purerun died before the line above
  pthread_sigmask(SIG_SETMASK, &as.signals, nullptr);
  if (as.input >= 0) dup2(as.input, STDIN_FILENO);
  if (as.errors >= 0) dup2(as.errors, STDERR_FILENO);
  if (as.cpus != nullptr) as.cpus->bind_this_thread();
  program.execute();
}

}  // namespace purerun
