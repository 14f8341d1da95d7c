#include "purerun/process_tree.hpp"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace purerun {
namespace {

// proc(5): "PID (NAME) STATE PARENT GROUP SESSION ..."
std::optional<process> read_process(std::string_view number) {
  process found;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), found.pid);
  if (error != std::errc{} || end != number.data() + number.size()) return {};
  std::ifstream file("/proc/" + std::string(number) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  const auto name_ends = text.rfind(')');  // the name may hold any character
  if (name_ends == std::string::npos) return {};
  std::istringstream fields(text.substr(name_ends + 1));
  char state = 0;
  fields >> state >> found.parent >> found.group >> found.session;
  if (!fields || state == 'Z' || state == 'X') return {};
  return found;
}

std::vector<process> all_processes() {
  std::vector<process> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  while (folder != nullptr) {
    const dirent* const entry = readdir(folder.get());  // NOLINT(concurrency-mt-unsafe): one thread
    if (entry == nullptr) break;
    if (const auto found = read_process(entry->d_name)) all.push_back(*found);
  }
  return all;
}

}  // namespace

void keep_orphans() noexcept { prctl(PR_SET_CHILD_SUBREAPER, 1UL); }

std::vector<process> processes_below() {
  std::vector<process> others = all_processes();
  std::vector<process> below;
  std::vector<pid_t> parents{getpid()};
  while (!parents.empty()) {
    const pid_t parent = parents.back();
    parents.pop_back();
    const auto its = std::partition(others.begin(), others.end(),
                                    [parent](const process& each) { return each.parent != parent; });
    for (auto each = its; each != others.end(); ++each) parents.push_back(each->pid);
    below.insert(below.end(), its, others.end());
    others.erase(its, others.end());
  }
  return below;
}

void kill_all_below() {
  constexpr int longest_ms = 5000;  // one that is inside the kernel may take its time; it does nothing else any more
  for (int ms = 0; ms < longest_ms; ms += 10) {
    const std::vector<process> left = processes_below();
    if (left.empty()) return;
    for (const process& each : left) kill(each.pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace purerun
