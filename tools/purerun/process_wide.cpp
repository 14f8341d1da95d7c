#include "purerun/process_wide.hpp"

#include <sched.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "loader/object_file.hpp"
#include "pure/globals_list.hpp"

namespace purerun {
namespace {

using pure::core::object_file;
using pure::core::printable_word;
using pure::core::program_closure;
using pure::core::program_object;

// A function that ends with * stands for all that begin so: Fortran has one for each kind of argument.
constexpr std::string_view folders[] = {
    "chdir", "fchdir",    "chroot",           "nftw*",
    "ftw*",  "fts_open*", "_gfortran_chdir*", "_ZNSt10filesystem12current_pathERK*"};
constexpr std::string_view masks[] = {"umask", "_gfortran_umask*"};
constexpr std::string_view starts[] = {"fork",    "vfork",    "_Fork",   "forkpty", "daemon", "clone",
                                       "execl",   "execle",   "execlp",  "execv",   "execve", "execvp",
                                       "execvpe", "execveat", "fexecve", "wait",    "wait3",  "wait4",
                                       "waitid",  "__fork",   "__vfork", "__clone", "__wait", "_gfortran_fork*"};
constexpr std::string_view spawns[] = {"system",
                                       "popen",
                                       "posix_spawn",
                                       "posix_spawnp",
                                       "wordexp",
                                       "_gfortran_system*",
                                       "_gfortran_execute_command_line*"};
constexpr std::string_view signals[] = {"sigwait",  "sigwaitinfo",    "sigtimedwait", "sigsuspend",
                                        "sigpause", "__xpg_sigpause", "pause",        "signalfd"};
constexpr std::string_view groups[] = {"killpg", "setsid", "setpgid", "__setpgid", "setpgrp", "tcsetpgrp"};
constexpr std::string_view timers[] = {"setitimer"};
constexpr std::string_view streams[] = {"dup2", "dup3", "__dup2", "login_tty"};
// A rank's stdout is over descriptor 1 of the process: opened anew it is elsewhere, and these still go there.
constexpr std::string_view reopens[] = {"freopen", "freopen64"};
constexpr std::string_view past_streams[] = {"write",  "writev",   "dup",        "dprintf", "vdprintf",
                                             "splice", "sendfile", "sendfile64", "__write", "__dprintf_chk"};
constexpr std::string_view descriptors[] = {"closefrom", "close_range"};
constexpr std::string_view limits[] = {"setrlimit", "setrlimit64", "prlimit", "prlimit64", "ulimit"};
constexpr std::string_view users[] = {"setuid",   "setgid",    "seteuid",   "setegid",   "setreuid",
                                      "setregid", "setresuid", "setresgid", "setgroups", "initgroups",
                                      "setfsuid", "setfsgid",  "capset"};
constexpr std::string_view file_locks[] = {"lockf", "lockf64", "fcntl", "fcntl64"};
constexpr std::string_view breaks[] = {"brk", "sbrk"};
constexpr std::string_view profiles[] = {"mcount",       "_mcount", "__fentry__", "monstartup",
                                         "__monstartup", "profil",  "moncontrol"};
constexpr std::string_view spaces[] = {"prctl", "ptrace", "unshare", "setns", "personality"};
constexpr std::string_view name_spaces[] = {"dlmopen"};
constexpr std::string_view formats[] = {"register_printf_function", "register_printf_specifier",
                                        "register_printf_modifier", "register_printf_type"};
constexpr std::string_view parsers[] = {"argp_parse", "argp_help", "argp_state_help", "argp_usage"};
constexpr std::string_view patterns[] = {"re_comp", "re_exec", "re_set_syntax", "re_compile_pattern"};
// A program defines these, or has a copy of them, and libc would look at its own.
constexpr std::string_view variables[] = {"argp_program_version",
                                          "argp_program_version_hook",
                                          "argp_program_bug_address",
                                          "argp_err_exit_status",
                                          "error_print_progname",
                                          "error_message_count",
                                          "error_one_per_line",
                                          "re_syntax_options",
                                          "obstack_alloc_failed_handler",
                                          "obstack_exit_failure",
                                          "__fpu_control"};
constexpr std::string_view times[] = {"getrusage", "mallinfo", "mallinfo2", "malloc_info", "malloc_stats"};
constexpr std::string_view inputs[] = {"stdin",          "getchar",        "getchar_unlocked", "scanf",
                                       "__isoc99_scanf", "__isoc23_scanf", "vscanf",           "gets"};

enum class weight {
  decides,
  decides_without_folders,  // where the kernel gives a rank's threads no working directory of their own
  decides_if_named,         // a variable, whoever defines it
  says_so
};

struct function_row {
  std::string_view what;
  std::span<const std::string_view> names;
  weight its;
};

// In the order in which they are said. Those that do not decide come to the same for most programs: a rank's child
// process is its own, and only rank 0 reads.
constexpr function_row function_rows[] = {
    {"the working directory", folders, weight::decides_without_folders},
    {"the mask of new files' rights", masks, weight::decides_without_folders},
    {"child processes, which have all ranks' memory", starts, weight::decides},
    {"signals that are waited for", signals, weight::decides},
    {"the group of processes", groups, weight::decides},
    {"the standard streams' files", streams, weight::decides},
    {"the descriptors of all ranks", descriptors, weight::decides},
    {"limits of the process", limits, weight::decides},
    {"the user's rights", users, weight::decides},
    {"locks of files, which a process owns", file_locks, weight::decides},
    {"the end of the heap", breaks, weight::decides},
    {"the profile", profiles, weight::decides},
    {"attributes of the process", spaces, weight::decides},
    {"name spaces of libraries", name_spaces, weight::decides},
    {"formats of printf", formats, weight::decides},
    {"the version and the end that its options ask for", parsers, weight::decides},
    {"the compiled pattern, or its syntax", patterns, weight::decides},
    {"a variable of libc", variables, weight::decides_if_named},
    {"the use of memory, which is that of all ranks", times, weight::says_so},
    {"timers of processor time", timers, weight::says_so},
    {"the standard input", inputs, weight::says_so},
    {"child processes", spawns, weight::says_so},
};

// Libraries of the system that keep a state in, or with, the process, which a second copy does not know.
struct library_row {
  std::string_view beginning, what;
};
constexpr library_row library_rows[] = {
    {"libpython", "what its scripts do"},    {"libperl", "what its scripts do"},    {"libR.so", "what its scripts do"},
    {"libruby", "what its scripts do"},      {"libtcl", "what its scripts do"},     {"liblua", "what its scripts do"},
    {"libguile", "what its scripts do"},     {"libjulia", "what its scripts do"},   {"libjvm", "what its scripts do"},
    {"liboctinterp", "what its scripts do"}, {"libcuda", "a device's driver"},      {"libamdhip", "a device's driver"},
    {"libhsa-", "a device's driver"},        {"libze_loader", "a device's driver"}, {"libOpenCL", "a device's driver"},
    {"libibverbs", "a device's driver"},     {"libsqlite3", "locks of files"},      {"libdb-", "locks of files"},
    {"liblmdb", "locks of files"},
};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) noexcept {
  return std::any_of(names.begin(), names.end(), [name](std::string_view each) {
    return each.ends_with('*') ? name.starts_with(each.substr(0, each.size() - 1)) : name == each;
  });
}

bool is_of_system(std::string_view path) noexcept { return path.starts_with("/lib") || path.starts_with("/usr/lib"); }

std::string_view file_name(std::string_view path) noexcept { return path.substr(path.rfind('/') + 1); }

// "_gfortran_chdir_i4_sub" as people wrote it.
std::string shown_function(std::string_view symbol) {
  constexpr std::string_view fortran = "_gfortran_";
  if (symbol.starts_with("_ZNSt10filesystem12current_path")) return "std::filesystem::current_path";
  if (!symbol.starts_with(fortran)) return std::string(symbol);
  symbol.remove_prefix(fortran.size());
  return std::string(symbol.substr(0, symbol.find('_')));
}

// Each rank asks for a working directory and a mask of its own when it begins (libc/hidden_state.hpp): some
// containers forbid it. Here it changes nothing, for purerun has no others that share its own.
bool have_ranks_folders() noexcept {
  static const bool are_there = unshare(CLONE_FS) == 0;
  return are_there;
}

std::string subject(const program_closure& closure, const program_object& object) {
  if (&object == &closure.objects.front()) return "it";
  return fmt::format("its library {}", printable_word(std::string(file_name(object.path))));
}

void look_at_functions(const program_closure& closure, const program_object& object,
                       std::vector<process_wide_use>& uses) {
  const object_file file(object.path);
  for (const function_row& row : function_rows) {
    if (row.its == weight::decides_without_folders && have_ranks_folders()) continue;
    const auto symbols = file.symbols();
    const auto found = std::find_if(symbols.begin(), symbols.end(), [&](const Elf64_Sym& each) {
      return (each.st_shndx == SHN_UNDEF || row.its == weight::decides_if_named) &&
             is_one_of(file.name_of(each), row.names);
    });
    if (found == symbols.end()) continue;
    const bool is_variable = row.its == weight::decides_if_named || file.name_of(*found) == "stdin";
    uses.push_back({.object = object.path,
                    .by = fmt::format("{} {} {}", subject(closure, object), is_variable ? "uses" : "calls",
                                      printable_word(shown_function(file.name_of(*found)))),
                    .what = row.what,
                    .decides = row.its != weight::says_so});
  }
}

// The first function of these that the object calls; empty: none.
std::string first_of(const program_object& object, std::initializer_list<std::span<const std::string_view>> names) {
  const object_file file(object.path);
  for (const Elf64_Sym& each : file.symbols()) {
    const std::string_view name = file.name_of(each);
    const bool is_called = each.st_shndx == SHN_UNDEF &&
                           std::any_of(names.begin(), names.end(), [&](auto& its) { return is_one_of(name, its); });
    if (is_called) return shown_function(name);
  }
  return {};
}

// freopen by itself is a rank's own business.
void look_at_redirections(const program_closure& closure, std::vector<process_wide_use>& uses) {
  const program_object* reopening = nullptr;
  std::string other;
  for (const program_object& object : closure.objects) {
    if (!is_brought_along(object)) continue;
    if (reopening == nullptr && !first_of(object, {reopens}).empty()) reopening = &object;
    if (other.empty()) other = first_of(object, {spawns, starts, past_streams});
  }
  if (reopening == nullptr || other.empty()) return;
  uses.push_back({.object = reopening->path,
                  .by = fmt::format("{} calls freopen beside {}", subject(closure, *reopening), printable_word(other)),
                  .what = "the standard streams' files",
                  .decides = true});
}

// A process reads Pure's settings when it calls MPI_Init, and may have set them itself; the ranks of a process are
// there before their program is.
void look_at_settings(const program_closure& closure, const program_object& object,
                      std::vector<process_wide_use>& uses) {
  constexpr std::string_view setters[] = {"setenv", "putenv"};
  constexpr std::string_view beginning("\0PURE_", 6);  // of a text
  const object_file file(object.path);
  const auto symbols = file.symbols();
  const bool may_set = std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& each) {
    return each.st_shndx == SHN_UNDEF && is_one_of(file.name_of(each), setters);
  });
  const std::string_view content(reinterpret_cast<const char*>(file.content().data()), file.content().size());
  if (!may_set || content.find(beginning) == std::string_view::npos) return;
  uses.push_back({.object = object.path,
                  .by = fmt::format("{} sets variables of Pure (PURE_)", subject(closure, object)),
                  .what = "Pure's settings, which are read before",
                  .decides = true});
}

// What is loaded before all, and so for all ranks together; an allocator, a sanitizer's runtime and Pure are to be.
void look_at_preloads(const std::vector<std::string>& environment, std::vector<process_wide_use>& uses) {
  constexpr std::string_view variable = "LD_PRELOAD=";
  for (const std::string& entry : environment) {
    if (!entry.starts_with(variable)) continue;
    std::string words = entry.substr(variable.size());
    std::replace(words.begin(), words.end(), ':', ' ');
    for (const std::string_view word : pure::core::split(words, ' ')) {
      const std::string_view name = file_name(word);
      if (name.empty() || name.starts_with("libmpi_abi.so") || name.find("san.so") != std::string_view::npos) continue;
      try {
        if (word != name && object_file(std::string(word)).defines("malloc")) continue;
      } catch (const std::runtime_error&) {  // the dynamic linker says so, and goes on without it
        continue;
      }
      uses.push_back({.object = "",
                      .by = fmt::format("LD_PRELOAD has {}", printable_word(std::string(name))),
                      .what = "what it keeps",
                      .decides = true});
    }
  }
}

// A library that has a malloc is there once. What does not call itself an allocator has it beside other things.
void look_at_allocators(const program_closure& closure, std::vector<process_wide_use>& uses) {
  constexpr std::string_view own_names[] = {"alloc", "hoard", "scudo", "san", "libclang_rt."};
  for (const std::string& path : closure.preloads) {
    const std::string_view name = file_name(path);
    const bool is_known = is_of_system(path) ||
                          std::any_of(std::begin(own_names), std::end(own_names),
                                      [name](auto each) { return name.find(each) != std::string_view::npos; });
    if (is_known) continue;
    uses.push_back({.object = path,
                    .by = fmt::format("its library {} has a malloc of its own", printable_word(std::string(name))),
                    .what = "all that this library keeps",
                    .decides = true});
  }
}

}  // namespace

bool is_brought_along(const program_object& object) noexcept { return object.is_private && !is_of_system(object.path); }

std::vector<process_wide_use> process_wide_uses(const program_closure& closure,
                                                const std::vector<std::string>& environment) {
  std::vector<process_wide_use> uses;
  for (const program_object& object : closure.objects) {
    if (is_brought_along(object)) {
      look_at_functions(closure, object, uses);
      look_at_settings(closure, object, uses);
    }
    if (!object.is_private) continue;
    const std::string_view name = file_name(object.path);
    for (const library_row& row : library_rows) {
      if (!name.starts_with(row.beginning)) continue;
      uses.push_back({.object = object.path,
                      .by = fmt::format("it needs {}", printable_word(std::string(name))),
                      .what = row.what,
                      .decides = true});
      break;
    }
  }
  look_at_redirections(closure, uses);
  look_at_allocators(closure, uses);
  look_at_preloads(environment, uses);
  std::stable_partition(uses.begin(), uses.end(), [](const process_wide_use& each) { return each.decides; });
  return uses;
}

bool may_start_others(const std::string& path) {
  try {
    std::vector<std::string> missing, files = pure::tool::own_libraries(path, missing);
    files.insert(files.begin(), path);
    return !missing.empty() || std::any_of(files.begin(), files.end(), [](const std::string& each) {
      const object_file file(each);
      const auto symbols = file.symbols();
      return !file.is_dynamic() || std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& one) {
        const std::string_view name = file.name_of(one);
        return one.st_shndx == SHN_UNDEF && (is_one_of(name, starts) || is_one_of(name, spawns) || name == "syscall");
      });
    });
  } catch (const std::runtime_error&) {
    return true;
  }
}

}  // namespace purerun
