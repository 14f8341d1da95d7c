#include "loader/dynamic_linker.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

#include "base/owned_descriptor.hpp"

namespace pure::core {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// What would add to the list, or run code of others: not what decides which libraries are found.
bool is_left_out(std::string_view entry) noexcept {
  constexpr std::string_view names[] = {"LD_DEBUG", "LD_DEBUG_OUTPUT", "LD_VERBOSE",
                                        "LD_WARN",  "LD_BIND_NOW",     "LD_UNUSED",
                                        "LD_AUDIT", "LD_PROFILE",      "LD_TRACE_LOADED_OBJECTS"};
  const std::string_view name = entry.substr(0, entry.find('='));
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

constexpr std::size_t stack_bytes = 64U << 10;

// Everything that the children need: they share this process's memory, and its thread waits for them.
struct new_child {
  const char* path;
  char* const* arguments;
  char* const* environment;
  int output, errors;
  std::byte* end_of_stack;
  int error = 0;
};

// All signals are blocked here, and stay so: a handler would run on the memory of the process that waits.
int become_linker(void* what) {
  auto& its = *static_cast<new_child*>(what);
  if (dup2(its.output, STDOUT_FILENO) >= 0 && dup2(its.errors, STDERR_FILENO) >= 0)
    execve(its.path, its.arguments, its.environment);
  its.error = errno;
  _exit(127);
}

// A process that executes a file is its parent's child as any other, whatever clone() was told: so this one is between.
int run_linker(void* what) {
  auto& its = *static_cast<new_child*>(what);
  const pid_t linker = clone(become_linker, its.end_of_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, what);
  if (linker < 0) its.error = errno;
  int status = 0;
  while (linker > 0 && waitpid(linker, &status, 0) < 0 && errno == EINTR) continue;
  _exit(linker < 0 || !WIFEXITED(status) ? 1 : WEXITSTATUS(status));
}

std::string all_from(int descriptor) {
  std::string text;
  std::array<char, 4096> part{};
  lseek(descriptor, 0, SEEK_SET);
  for (;;) {
    const ssize_t got = read(descriptor, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

owned_descriptor file_in_memory() {
  owned_descriptor file(memfd_create("pure: dynamic linker", MFD_CLOEXEC));
  if (!file.is_open()) fail("the dynamic linker cannot be asked without a file in memory");
  return file;
}

struct linker_output {
  std::string text, errors;
  bool is_good = false;
};

bool is_asked_by_tool = false;  // written before it is asked

/// The status that wait() has for it. Throws std::system_error.
int run_as_a_tool(const new_child& what) {
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) fail("the dynamic linker cannot be started");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == self && dup2(what.output, STDOUT_FILENO) >= 0 && dup2(what.errors, STDERR_FILENO) >= 0)
      execve(what.path, what.arguments, what.environment);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

linker_output run(const std::vector<std::string>& arguments, const std::vector<const char*>& environment) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));  // exec's old promise
  words.push_back(nullptr);
  const owned_descriptor output = file_in_memory(), errors = file_in_memory();
  std::vector<std::byte> stacks(2 * stack_bytes);
  new_child child{.path = words.front(),
                  .arguments = words.data(),
                  .environment = const_cast<char* const*>(environment.data()),
                  .output = output.number(),
                  .errors = errors.number(),
                  .end_of_stack = stacks.data() + stack_bytes};
  if (is_asked_by_tool) {
    const int status = run_as_a_tool(child);
    return {.text = all_from(output.number()), .errors = all_from(errors.number()), .is_good = status == 0};
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // Without a signal at its end it is nobody's child but of those who say __WCLONE.
  const pid_t pid = clone(run_linker, stacks.data() + 2 * stack_bytes, CLONE_VM | CLONE_VFORK, &child);
  if (pid < 0) child.error = errno;
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, static_cast<int>(__WCLONE)) < 0 && errno == EINTR) continue;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = child.error;
  if (child.error != 0) fail("the dynamic linker cannot be started");
  return {.text = all_from(output.number()), .errors = all_from(errors.number()), .is_good = status == 0};
}

// "\tlibz.so.1 => /lib/libz.so.1 (0x...)", "\t/lib64/ld-linux.so.2 (0x...)", "\tlibgone.so => not found"
std::vector<listed_object> objects_in(std::string_view text) {
  std::vector<listed_object> objects;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with('\t')) continue;
    line.remove_prefix(1);
    constexpr std::string_view arrow = " => ", gone = " => not found";
    if (line.ends_with(gone)) {
      objects.push_back({std::string(line.substr(0, line.size() - gone.size())), ""});
      continue;
    }
    const auto address = line.rfind(" (0x");
    if (address == std::string_view::npos) continue;
    line = line.substr(0, address);
    const auto middle = line.find(arrow);
    const bool has_two = middle != std::string_view::npos;
    objects.push_back(
        {std::string(line.substr(0, middle)), std::string(has_two ? line.substr(middle + arrow.size()) : line)});
  }
  return objects;
}

// The first line of the dynamic linker's own: what it runs in (valgrind) may write to the same file.
std::string first_complaint(std::string_view errors, const std::string& path) {
  while (!errors.empty()) {
    const std::string_view line = errors.substr(0, errors.find('\n'));
    errors.remove_prefix(std::min(errors.size(), line.size() + 1));
    if (line.starts_with(path + ": ") || line.starts_with("ERROR: ld.so: ") ||
        line.starts_with("Inconsistency detected"))
      return std::string(line);
  }
  return {};
}

}  // namespace

void ask_dynamic_linker_as_a_tool() noexcept { is_asked_by_tool = true; }

const std::string& own_dynamic_linker() {
  static const std::string path = [] {
    const auto* const headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    const std::span all(headers, headers != nullptr ? getauxval(AT_PHNUM) : 0);
    std::uintptr_t shift = 0;
    for (const ElfW(Phdr) & each : all) {
      if (each.p_type == PT_PHDR) shift = reinterpret_cast<std::uintptr_t>(headers) - each.p_vaddr;
    }
    for (const ElfW(Phdr) & each : all) {
      if (each.p_type == PT_INTERP) return std::string(reinterpret_cast<const char*>(shift + each.p_vaddr));
    }
    return std::string();
  }();
  return path;
}

linker_answer ask_dynamic_linker(const std::string& path, const std::string& first, const char* const* environment) {
  std::vector<const char*> variables;
  for (; *environment != nullptr; ++environment) {
    if (!is_left_out(*environment)) variables.push_back(*environment);
  }
  variables.push_back(nullptr);
  std::vector<std::string> words{own_dynamic_linker()};
  if (!first.empty()) words.insert(words.end(), {"--preload", first});
  words.insert(words.end(), {"--list", path});
  linker_output output = run(words, variables);
  // Listed with one that is missing it says only that; as ldd asks, it lists all.
  if (!output.is_good && getauxval(AT_SECURE) == 0) {
    words.erase(words.end() - 2);
    variables.insert(variables.begin(), "LD_TRACE_LOADED_OBJECTS=1");
    const linker_output again = run(words, variables);
    output.text = again.text;
  }
  linker_answer answer{.objects = objects_in(output.text), .complaint = {}};
  answer.complaint = first_complaint(output.errors, path);
  if (is_about_memory(answer.complaint)) answer.complaint = explained_by_linker(answer.complaint.c_str());
  if (answer.complaint.empty() && !output.is_good) answer.complaint = "the dynamic linker has failed";
  return answer;
}

bool is_about_memory(std::string_view said) noexcept {
  constexpr std::string_view texts[] = {"failed to map segment", "cannot map zero-fill pages", "Cannot allocate memory",
                                        "out of memory"};
  return std::any_of(std::begin(texts), std::end(texts),
                     [&](std::string_view each) { return said.find(each) != std::string_view::npos; });
}

std::string explained_by_linker(const char* said) {
  if (said == nullptr) return "the dynamic linker does not say why";
  std::string text = said;
  if (is_about_memory(text)) text += ": there is not enough memory (ulimit -v, or that of the machine)";
  return text;
}

}  // namespace pure::core
