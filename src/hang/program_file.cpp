#include "hang/program_file.hpp"

#include <sys/stat.h>

namespace pure::core {

namespace {

const char* path_of_file = nullptr;
struct stat first {};

}  // namespace

void note_program_file(const char* path) noexcept {
  if (stat(path, &first) == 0) path_of_file = path;
}

const char* changed_program_file() noexcept {
  struct stat now {};
  if (path_of_file == nullptr || stat(path_of_file, &now) != 0) return nullptr;
  const bool is_same_file = now.st_dev == first.st_dev && now.st_ino == first.st_ino;  // else a new one has its name
  const bool is_as_before = now.st_size == first.st_size && now.st_mtim.tv_sec == first.st_mtim.tv_sec &&
                            now.st_mtim.tv_nsec == first.st_mtim.tv_nsec;
  return is_same_file && !is_as_before ? path_of_file : nullptr;
}

}  // namespace pure::core
