// /proc/self/exe is the launcher's executable, and AT_EXECFN its path; a program that looks there, for the folder that
// it is in, to name itself, or for what has been appended to its file, gets its own path, and its own file.
//
// Any thread.
#include <fcntl.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "libc/hidden_state.hpp"
#include "libc/program_of_rank.hpp"
#include "libc/replacement_parts.hpp"

extern "C" {  // of programs that were compiled with _FORTIFY_SOURCE
ssize_t __readlink_chk(const char*, char*, size_t, size_t) noexcept;
ssize_t __readlinkat_chk(int, const char*, char*, size_t, size_t) noexcept;
char* __realpath_chk(const char*, char*, size_t) noexcept;
int __open_2(const char*, int);
int __openat_2(int, const char*, int);
int __xstat(int, const char*, struct stat*) noexcept;  // of programs of a libc before 2.33
}

namespace pure::core {

namespace {

/// The path of the rank's program if `path` is the link to the process's executable; else null.
const char* program_at(const char* path) noexcept {
  const char* const program = hidden_state_here().program_path;
  if (program == nullptr || path == nullptr) return nullptr;
  std::string_view rest(path);
  if (!rest.starts_with("/proc/") || !rest.ends_with("/exe")) return nullptr;
  rest = rest.substr(6, rest.size() - 10);
  int process = 0;
  const bool is_number = std::from_chars(rest.begin(), rest.end(), process).ptr == rest.end();
  return rest == "self" || rest == "thread-self" || (is_number && is_number_of_rank(process)) ? program : nullptr;
}

/// As readlink: cut without a word, and no zero at the end.
ssize_t copied(std::string_view program, char* text, std::size_t size) noexcept {
  if (size == 0) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<ssize_t>(program.copy(text, size));
}

ssize_t rank_readlink(const char* path, char* text, std::size_t size) {
  const char* const program = program_at(path);
  return program == nullptr ? readlink(path, text, size) : copied(program, text, size);
}

ssize_t rank_readlinkat(int folder, const char* path, char* text, std::size_t size) {
  const char* const program = program_at(path);
  return program == nullptr ? readlinkat(folder, path, text, size) : copied(program, text, size);
}

char* rank_realpath(const char* path, char* resolved) {
  const char* const program = program_at(path);
  return realpath(program == nullptr ? path : program, resolved);
}

char* rank_canonicalize_file_name(const char* path) { return rank_realpath(path, nullptr); }

/// As the kernel tells where a process's program is: the rank's own, and not its launcher.
unsigned long rank_getauxval(unsigned long type) {
  const char* const path = type == AT_EXECFN ? hidden_state_here().program_path : nullptr;
  if (path != nullptr) return reinterpret_cast<unsigned long>(path);
  program_of_rank* const program = program_of_thread();
  const auto own = program == nullptr ? std::nullopt : program->auxiliary_value(type);
  return own ? *own : getauxval(type);
}

/// The path that is meant.
const char* meant(const char* path) noexcept {
  const char* const program = program_at(path);
  return program == nullptr ? path : program;
}

/// A function of libc that takes a path first, with the path that is meant; one that takes it second, behind a folder.
template <class Result, class... Others>
struct path_call {
  template <Result (*Function)(const char*, Others...)>
  static Result run(const char* path, Others... others) {
    return Function(meant(path), others...);
  }
};
template <class Result, class... Others>
path_call<Result, Others...> call_with_path(Result (*function)(const char*, Others...));
template <class Result, class... Others>
struct folder_path_call {
  template <Result (*Function)(int, const char*, Others...)>
  static Result run(int folder, const char* path, Others... others) {
    return Function(folder, meant(path), others...);
  }
};
template <class Result, class... Others>
folder_path_call<Result, Others...> call_with_path(Result (*function)(int, const char*, Others...));

template <auto Function>
replacement with_meant_path(std::string_view name) noexcept {
  return replaced_by(name, decltype(call_with_path(Function))::template run<Function>);
}

// The mode is there or not; where it is not, nobody looks at it.
int rank_open(const char* path, int flags, mode_t mode) { return open(meant(path), flags, mode); }
int rank_openat(int folder, const char* path, int flags, mode_t mode) {
  return openat(folder, meant(path), flags, mode);
}

ssize_t checked_readlink(const char* path, char* text, std::size_t size, std::size_t room) {
  const char* const program = program_at(path);
  return program == nullptr || size > room ? __readlink_chk(path, text, size, room) : copied(program, text, size);
}

ssize_t checked_readlinkat(int folder, const char* path, char* text, std::size_t size, std::size_t room) {
  const char* const program = program_at(path);
  return program == nullptr || size > room ? __readlinkat_chk(folder, path, text, size, room)
                                           : copied(program, text, size);
}

char* checked_realpath(const char* path, char* resolved, std::size_t room) {
  const char* const program = program_at(path);
  return __realpath_chk(program == nullptr ? path : program, resolved, room);
}

}  // namespace

std::span<const replacement> path_parts() noexcept {
  static const replacement table[] = {
      replaced_by("readlink", rank_readlink),
      replaced_by("readlinkat", rank_readlinkat),
      replaced_by("realpath", rank_realpath),
      replaced_by("canonicalize_file_name", rank_canonicalize_file_name),
      replaced_by("getauxval", rank_getauxval),
      replaced_by("open", rank_open),
      replaced_by("open64", rank_open),
      replaced_by("openat", rank_openat),
      replaced_by("openat64", rank_openat),
      with_meant_path<__open_2>("__open_2"),
      with_meant_path<__open_2>("__open64_2"),
      with_meant_path<__openat_2>("__openat_2"),
      with_meant_path<__openat_2>("__openat64_2"),
      with_meant_path<std::fopen>("fopen"),
      with_meant_path<std::fopen>("fopen64"),
      with_meant_path<static_cast<int (*)(const char*, struct stat*)>(::stat)>("stat"),
      with_meant_path<static_cast<int (*)(const char*, struct stat*)>(::stat)>("stat64"),
      with_meant_path<__xstat>("__xstat"),
      with_meant_path<__xstat>("__xstat64"),
      with_meant_path<fstatat>("fstatat"),
      with_meant_path<fstatat>("fstatat64"),
      with_meant_path<statx>("statx"),
      with_meant_path<access>("access"),
      with_meant_path<eaccess>("eaccess"),
      with_meant_path<euidaccess>("euidaccess"),
      with_meant_path<faccessat>("faccessat"),
      with_meant_path<execve>("execve"),
      replaced_by("__readlink_chk", checked_readlink),
      replaced_by("__readlinkat_chk", checked_readlinkat),
      replaced_by("__realpath_chk", checked_realpath),
  };
  return table;
}

}  // namespace pure::core
