// For the test of the names of threads: every rank prints those of its process, in one line, as the kernel has them.
#include <pure.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

int main() {
  pure_barrier(PURE_COMM_WORLD);  // all have begun
  std::multiset<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    if (std::getline(file, name)) names.insert(name);
  }
  std::ifstream own("/proc/thread-self/comm");
  std::string line;
  std::getline(own, line);
  const bool is_right = line == "rank " + std::to_string(pure_rank());
  for (const std::string& name : names) line += ", " + name;
  std::printf("%s\n", line.c_str());
  pure_barrier(PURE_COMM_WORLD);  // nobody has ended
  return is_right ? 0 : 1;
}
