#include "hang/globals_hint.hpp"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/signal_safe_text.hpp"
#include "hang/elf_globals.hpp"
#include "runtime/job.hpp"

namespace pure::core {
namespace {

bool is_same_main = false;  // written before the ranks start

constexpr std::size_t most_named = 4;
constexpr std::size_t most_name_bytes = 72;

// The program's own file, as it lies on the disk: read-only while the program runs.
class program_file {
 public:
  program_file() noexcept {
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat status {};
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      memory_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
  }
  program_file(const program_file&) = delete;
  program_file& operator=(const program_file&) = delete;
  ~program_file() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }
  [[nodiscard]] std::span<const std::byte> content() const noexcept {
    if (memory_ == MAP_FAILED) return {};
    return {static_cast<const std::byte*>(memory_), bytes_};
  }

 private:
  void* memory_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

// How far the program lies from where its file says.
std::uintptr_t shift_of(const elf_globals& file) noexcept { return getauxval(AT_ENTRY) - file.entry(); }

// The largest, with the one that the crash involves first, if any does.
class chosen_globals {
 public:
  void add(const global_variable& one, bool is_involved) noexcept {
    const bool is_known = std::any_of(largest_.begin(), largest_.begin() + static_cast<std::ptrdiff_t>(count_),
                                      [&](const global_variable& each) { return each.address == one.address; });
    if (is_known) return;  // an alias
    ++in_all_;
    if (is_involved && involved_.bytes == 0) involved_ = one;
    std::size_t at = count_;
    while (at > 0 && largest_[at - 1].bytes < one.bytes) --at;
    if (at == largest_.size()) return;
    count_ = std::min(count_ + 1, largest_.size());
    for (std::size_t i = count_ - 1; i > at; --i) largest_[i] = largest_[i - 1];
    largest_[at] = one;
  }
  [[nodiscard]] std::size_t in_all() const noexcept { return in_all_; }
  [[nodiscard]] const global_variable* involved() const noexcept { return involved_.bytes != 0 ? &involved_ : nullptr; }
  [[nodiscard]] std::span<const global_variable> largest() const noexcept { return {largest_.data(), count_}; }

 private:
  std::array<global_variable, most_named> largest_{};
  std::size_t count_ = 0, in_all_ = 0;
  global_variable involved_;
};

// Whether the address lies in the variable or just behind it, or the variable is a pointer to somewhere near.
bool is_near(const global_variable& one, std::uintptr_t shift, std::uintptr_t address) noexcept {
  constexpr std::uintptr_t near = 64 * 1024;
  if (address < near) return false;  // a null pointer, and what lies a little from it: anybody's
  const std::uintptr_t start = one.address + shift;
  if (address >= start && address - start < one.bytes + near) return true;
  if (one.bytes != sizeof(std::uintptr_t) || start % alignof(std::uintptr_t) != 0) return false;
  std::uintptr_t points_to = 0;
  __builtin_memcpy(&points_to, reinterpret_cast<const void*>(start),
                   sizeof points_to);  // NOLINT(performance-no-int-to-ptr)
  return points_to != 0 && (address > points_to ? address - points_to : points_to - address) < near;
}

void write_one(const global_variable& one, const char* before, int descriptor) noexcept {
  std::array<char, most_name_bytes> name{};
  write_plain_name(one.name, name.data(), name.size());
  signal_safe_text text;
  text << before << "`" << name.data() << "` (" << one.bytes << (one.bytes == 1 ? " byte)" : " bytes)");
  text.write_to(descriptor);
}

void write_path(int descriptor) noexcept {
  std::array<char, 400> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  signal_safe_text text;
  text << "`pure globals " << (length > 0 ? path.data() : "PROGRAM") << "`";
  text.write_to(descriptor);
}

// "12name" at the front of the text: the name, taken away from it. Empty: there is none.
std::string_view take_identifier(std::string_view& text) noexcept {
  std::size_t digits = 0, length = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && length < text.size()) {
    length = length * 10 + static_cast<std::size_t>(text[digits++] - '0');
  }
  if (length == 0 || length > text.size() - digits) return {};
  const std::string_view name = text.substr(digits, length);
  text.remove_prefix(digits + length);
  return name;
}

// The parts of a mangled name that are only identifiers, at most as many as `parts` has; 0: it has others.
std::size_t parts_of(std::string_view mangled, std::span<std::string_view> parts) noexcept {
  if (!mangled.starts_with("_Z")) return 0;
  mangled.remove_prefix(2);
  if (mangled.starts_with("Z")) {  // in a function, whose name may be anything: what follows its end
    for (std::size_t end = mangled.find('E'); end != std::string_view::npos; end = mangled.find('E', end + 1)) {
      std::string_view rest = mangled.substr(end + 1);
      const std::string_view name = take_identifier(rest);
      if (!name.empty() && (rest.empty() || rest.front() == '_')) {
        parts[0] = name;
        return 1;
      }
    }
    return 0;
  }
  const bool is_nested = mangled.starts_with("N");
  if (is_nested) mangled.remove_prefix(1);
  for (std::size_t count = 0; count < parts.size(); ++count) {
    if (mangled.starts_with("L")) mangled.remove_prefix(1);  // static
    const std::string_view name = take_identifier(mangled);
    if (name.empty()) return 0;
    parts[count] = name.starts_with("_GLOBAL__N") ? std::string_view("(anonymous namespace)") : name;
    if (is_nested ? mangled == "E" : mangled.empty()) return count + 1;
    if (!is_nested) return 0;
  }
  return 0;
}

}  // namespace

void ranks_run_the_same_main() noexcept { is_same_main = true; }

std::size_t write_plain_name(std::string_view name, char* room, std::size_t room_bytes) noexcept {
  std::size_t length = 0;
  const auto put = [&](std::string_view text) {
    for (const char c : text) {
      if (length + 1 < room_bytes) room[length++] = c >= ' ' && c <= '~' ? c : '?';
    }
  };
  std::array<std::string_view, 8> parts;
  const std::size_t count = parts_of(name, parts);
  if (count == 0) put(name);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) put("::");
    put(parts[i]);
  }
  room[length] = '\0';
  return length;
}

void hint_at_globals(const rank_context& crashed, std::uintptr_t faulting_address, int descriptor) noexcept {
  if (!is_same_main || crashed.owner().ranks_here() < 2) return;
  const program_file program;
  const elf_globals file(program.content());
  if (file.what_is_wrong() != elf_globals::fault::none || !file.has_interpreter()) return;
  const std::uintptr_t shift = shift_of(file);
  chosen_globals chosen;
  global_variable one;
  for (std::size_t at = 0; file.next(at, one);) {
    if (one.from == global_variable::origin::system_copy || one.from == global_variable::origin::mpi_copy) continue;
    chosen.add(one, is_near(one, shift, faulting_address));
  }
  if (chosen.in_all() == 0) return;

  signal_safe_text start;
  start << "  hint: ranks are threads, and share this program's writable global variables: ";
  start.write_to(descriptor);
  std::size_t named = 0;
  const auto name_one = [&](const global_variable& each) {
    write_one(each, named++ == 0 ? "" : named < chosen.in_all() ? ", " : " and ", descriptor);
  };
  const global_variable* const involved = chosen.involved();
  if (involved != nullptr) {
    name_one(*involved);
    (signal_safe_text() << " near that address").write_to(descriptor);
  }
  for (const global_variable& each : chosen.largest()) {
    if (involved == nullptr || each.address != involved->address) name_one(each);
  }
  signal_safe_text end;
  if (named < chosen.in_all()) end << " and " << chosen.in_all() - named << " more";
  end << ".\n  What differs from rank to rank must be thread_local, or a variable of a function; ";
  end.write_to(descriptor);
  write_path(descriptor);
  (signal_safe_text() << " lists them.\n").write_to(descriptor);
}

}  // namespace pure::core
