// For the tests of the names of threads: every rank prints its own, and then those of its process, in one line, as the
// kernel has them. thread_names [NAME]: when there is one of that name, or after 10 s; a helper comes when it can.
#include <pure.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace {

std::multiset<std::string> names_of_threads() {
  std::multiset<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    if (std::getline(file, name)) names.insert(name);
  }
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  pure_barrier(PURE_COMM_WORLD);  // all have begun
  std::multiset<std::string> names = names_of_threads();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (argc > 1 && names.count(argv[1]) == 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    names = names_of_threads();
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
