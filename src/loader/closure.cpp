#include "loader/closure.hpp"

#include <gnu/libc-version.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/environment.hpp"
#include "base/printable_text.hpp"
#include "loader/dynamic_linker.hpp"
#include "loader/linker_list.hpp"
#include "loader/machine.hpp"
#include "loader/object_file.hpp"

namespace pure::core {
namespace {

using kind = object_file::kind;

// One for the process, whoever needs them: libc, Pure, and the runtimes of compilers and sanitizers.
constexpr std::string_view shared_beginnings[] = {"ld-linux",     "libc.so.6",     "libm.so.6",     "libgcc_s.so",
                                                  "libatomic.so", "linux-vdso.so", "libmpi_abi.so", "libpure_core.so",
                                                  "libpure.so",   "libasan.so",    "libubsan.so",   "liblsan.so",
                                                  "libhwasan.so", "libtsan.so",    "libclang_rt."};

// Parts of libc, if they lie where libc does: programs have libraries of these names, too.
constexpr std::string_view beginnings_of_libc[] = {"libmvec.so", "libpthread.so",  "libdl.so",  "librt.so",
                                                   "libutil.so", "libresolv.so",   "libnsl.so", "libanl.so",
                                                   "libnss_",    "libthread_db.so"};

bool begins_as_one_of(std::span<const std::string_view> beginnings, std::string_view name) noexcept {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [name](std::string_view each) { return name.starts_with(each); });
}

bool is_allocator(const object_file& file) noexcept { return file.defines("malloc") && file.defines("free"); }

bool is_of_system(std::string_view path) noexcept { return path.starts_with("/lib") || path.starts_with("/usr/lib"); }

bool has_text_relocations(const object_file& file) noexcept {
  return file.value(DT_TEXTREL).has_value() || (file.value(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0;
}

// libpure.a, which would be there once for each rank: the name of a setting tells it in a stripped file, too.
bool has_pure_inside(const object_file& file) noexcept {
  constexpr std::string_view setting = "PURE_LAUNCH_FD";
  return memmem(file.content().data(), file.content().size(), setting.data(), setting.size()) != nullptr;
}

bool is_same_file(const std::string& one, const std::string& other) noexcept {
  struct stat first {
  }, second{};
  return stat(one.c_str(), &first) == 0 && stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

bool lies_beside_libc(const std::string& path) {
  static const std::string folder = [] {
    const link_map* const libc = linked_object_at(reinterpret_cast<const void*>(&gnu_get_libc_version));
    return libc == nullptr ? std::string() : folder_of(libc->l_name);
  }();
  return is_same_file(folder_of(path), folder);
}

// Without symbolic links: $ORIGIN of a program is where its file is, and that of a library where it was found.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

// "it", or the name of a library.
std::string subject(const object_file& file, const std::string& program) {
  return file.path() == program ? "it" : printable_word(file.path());
}

enum class sharing { none, one_for_all, comes_first };

sharing sharing_of(const object_file& file, std::string_view name) {
  const auto sonames = file.texts(DT_SONAME);
  const std::string_view own_name = sonames.empty() ? name : sonames.front();
  const bool is_of_libc = own_name.starts_with("libc.so") || own_name.starts_with("ld-linux");
  if (!is_of_libc && is_allocator(file)) return sharing::comes_first;
  const auto is_one_of = [&](std::span<const std::string_view> beginnings) {
    return begins_as_one_of(beginnings, name) || begins_as_one_of(beginnings, own_name);
  };
  const bool is_shared = is_one_of(shared_beginnings) ||
                         (is_one_of(beginnings_of_libc) && lies_beside_libc(file.path()));
  return is_shared ? sharing::one_for_all : sharing::none;
}

// What a file has to be, to be a private object of that program.
void check_private(const object_file& file, const std::string& program) {
  if (has_text_relocations(file)) {
    throw loader_refusal(program, fmt::format("{} has text relocations", subject(file, program)),
                         "Compile all of it with -fPIC");
  }
  if (file.value(DT_FILTER) || file.value(DT_AUXILIARY)) {
    throw loader_refusal(program, fmt::format("{} is a filter of another library", subject(file, program)),
                         "Link it without -f and -F");
  }
  if (!is_of_system(file.path()) && has_pure_inside(file)) {
    throw loader_refusal(program, fmt::format("{} has Pure inside (libpure.a)", subject(file, program)),
                         "Link it with the shared library, libpure.so");
  }
}

void check_program(const object_file& file) {
  const std::string& path = file.path();
  if (!can_load_programs)
    throw loader_refusal(path, "on this kind of machine (not x86-64) Pure does not load programs", "");
  switch (file.what()) {
    case kind::program: break;
    case kind::fixed_program:
      throw loader_refusal(path, "it is not position independent", "Compile it with -fPIE, and link it with -pie");
    case kind::static_program:
      throw loader_refusal(path, "it is linked statically", "Link it without -static or -static-pie");
    case kind::library: throw loader_refusal(path, "it is a library, not a program", "");
    case kind::script: throw loader_refusal(path, "it is a script, and what that starts is not known", "");
    case kind::other_machine: throw loader_refusal(path, "it is for another processor, or for 32 bits", "");
    case kind::not_linked: throw loader_refusal(path, "it is not linked: an object file, or a core dump", "");
    case kind::damaged: throw loader_refusal(path, "its file is damaged, or cut off", "");
    case kind::unknown: throw loader_refusal(path, "it is not an ELF file", "");
  }
  if (!is_same_file(std::string(file.interpreter()), own_dynamic_linker())) {
    throw loader_refusal(path,
                         fmt::format("its dynamic linker is {}, and Pure's is {}",
                                     printable_word(std::string(file.interpreter())), own_dynamic_linker()),
                         "Build it with the C library that Pure is built with");
  }
  if (file.defines("__tsan_init")) {
    throw loader_refusal(path, "it is built with ThreadSanitizer", "Build it without -fsanitize=thread");
  }
  if (file.defines("__asan_init") || file.defines("__msan_init")) {
    throw loader_refusal(path, "it has a sanitizer's runtime inside", "Build it with -shared-libsan");
  }
  if (is_allocator(file)) {
    throw loader_refusal(path, "it has a malloc of its own", "Link it with the allocator's shared library");
  }
}

// What the dynamic linker has listed, and which of that a name means.
class listed_objects {
 public:
  explicit listed_objects(linker_answer answer) : answer_(std::move(answer)), files_(answer_.objects.size()) {}

  [[nodiscard]] std::size_t count() const noexcept { return answer_.objects.size(); }
  [[nodiscard]] const listed_object& operator[](std::size_t number) const noexcept { return answer_.objects[number]; }

  // The file of an object, or null: the kernel's has none.
  const object_file* file(std::size_t number) {
    const std::string& path = answer_.objects[number].path;
    if (!files_[number] && path.find('/') != std::string::npos) files_[number] = std::make_unique<object_file>(path);
    return files_[number].get();
  }

  // By a DT_NEEDED entry of the file that was found at that path, as the dynamic linker compares: by name, then by
  // DT_SONAME, then by what file it is.
  std::optional<std::size_t> find(std::string_view needed, const std::string& by) {
    const auto named = std::find_if(answer_.objects.begin(), answer_.objects.end(),
                                    [&](const listed_object& each) { return each.name == needed; });
    if (named != answer_.objects.end()) return static_cast<std::size_t>(named - answer_.objects.begin());
    for (std::size_t i = 0; i < count(); ++i) {
      if (file(i) == nullptr) continue;
      const auto sonames = file(i)->texts(DT_SONAME);
      if (!sonames.empty() && sonames.front() == needed) return i;
    }
    if (needed.find('/') != std::string_view::npos) return find_file(with_origin(std::string(needed), by));
    for (std::size_t i = 0; i < count(); ++i) {  // a second name of one that is there is not listed
      if (answer_.objects[i].path.find('/') == std::string::npos) continue;
      if (const auto found = find_file(folder_of(answer_.objects[i].path) + std::string(needed))) return found;
    }
    return {};
  }

  /// The file that was asked about, which the dynamic linker does not list: a library may be needed by what it opens.
  void add_asked(const std::string& path) {
    files_.push_back(std::make_unique<object_file>(path));
    const auto sonames = files_.back()->texts(DT_SONAME);
    answer_.objects.push_back({std::string(sonames.empty() ? std::string_view(path) : sonames.front()), path});
  }

  [[nodiscard]] const std::string& complaint() const noexcept { return answer_.complaint; }

 private:
  static std::string with_origin(std::string path, const std::string& by) {
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
      const auto at = path.find(word);
      if (at != std::string::npos) path.replace(at, word.size(), folder_of(by) + ".");
    }
    return path;
  }

  std::optional<std::size_t> find_file(const std::string& path) {
    for (std::size_t i = 0; i < count(); ++i) {
      if (!answer_.objects[i].path.empty() && is_same_file(answer_.objects[i].path, path)) return i;
    }
    return {};
  }

  linker_answer answer_;
  std::vector<std::unique_ptr<object_file>> files_;
};

// From the program or library `root` on, found at `root_path`, whose own number is `none` if it is not listed.
class closure_search {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  closure_search(listed_objects& listed, const object_file& root, std::string root_path, std::size_t root_number)
      : listed_(listed),
        root_(root),
        root_path_(std::move(root_path)),
        root_number_(root_number),
        found_(listed.count()) {}

  program_closure run() {
    std::vector<std::size_t> root_needs = look(root_);
    for (std::size_t next = 0; next < order_.size(); ++next) {
      const std::size_t number = order_[next];
      if (found_[number]->is_private) found_[number]->needs = look(*listed_.file(number));
    }
    if (!has_static_tls_) result_.static_tls_bytes = 0;
    return numbered(std::move(root_needs));
  }

 private:
  // A private object: what it is, and what it needs, by numbers of the list.
  std::vector<std::size_t> look(const object_file& file) {
    check_private(file, root_.path());
    if (const Elf64_Phdr* const tls = file.segment(PT_TLS); tls != nullptr && &file != &root_) {
      has_static_tls_ = has_static_tls_ || (file.value(DT_FLAGS).value_or(0) & DF_STATIC_TLS) != 0;
      // Whatever they are: descriptors (TLSDESC) take some of the room, too, before those that cannot do without.
      result_.static_tls_bytes += tls->p_memsz + tls->p_align;
    }
    std::vector<std::size_t> needs;
    for (const std::string_view name : file.texts(DT_NEEDED)) {
      const auto number = listed_.find(name, &file == &root_ ? root_path_ : file.path());
      if (!number) {
        if (is_about_memory(listed_.complaint())) throw loader_refusal::for_all(root_.path(), listed_.complaint());
        throw loader_refusal(root_.path(),
                             fmt::format("the dynamic linker does not tell which file is {}, which {} needs",
                                         printable_word(std::string(name)), subject(file, root_.path())),
                             "");
      }
      needs.push_back(*number);
      if (*number == root_number_ || found_[*number]) continue;
      if (listed_[*number].path.empty()) {
        throw loader_refusal::for_all(
            root_.path(), fmt::format("{}: not found; it is needed by {}", printable_word(std::string(name)),
                                      printable_word(file.path())));
      }
      found_[*number] = program_object{.name = std::string(name),
                                       .path = listed_[*number].path,
                                       .is_private = is_private(*number, name),
                                       .needs = {}};
      order_.push_back(*number);
    }
    return needs;
  }

  bool is_private(std::size_t number, std::string_view name) {
    const object_file* const file = listed_.file(number);
    if (file == nullptr) return false;
    const sharing its = sharing_of(*file, name);
    if (its == sharing::comes_first) {
      if (listed_[number].path.find_first_of(" :") != std::string::npos) {  // for LD_PRELOAD, the end of a name
        throw loader_refusal(root_.path(),
                             fmt::format("its allocator, {}, has to come first, and there is a space or a colon in "
                                         "its path",
                                         printable_word(listed_[number].path)),
                             "Put that library elsewhere");
      }
      result_.preloads.push_back(listed_[number].path);
    }
    return its == sharing::none;
  }

  // The objects in the dynamic linker's order, and what each needs by its place in that. Those of a plug-in are listed
  // among those of the program, whose they may be as well: of these the order of the search counts.
  program_closure numbered(std::vector<std::size_t> root_needs) {
    std::vector<std::size_t> place(listed_.count(), 0);
    result_.objects.push_back(
        {.name = root_.path(), .path = root_path_, .is_private = true, .needs = std::move(root_needs)});
    if (root_number_ == none) std::sort(order_.begin(), order_.end());
    for (const std::size_t number : order_) {
      place[number] = result_.objects.size();
      result_.objects.push_back(std::move(*found_[number]));
    }
    for (program_object& each : result_.objects) {
      for (std::size_t& number : each.needs) number = place[number];
    }
    return std::move(result_);
  }

  listed_objects& listed_;
  const object_file& root_;
  const std::string root_path_;
  const std::size_t root_number_;
  std::vector<std::optional<program_object>> found_;  // by number in the list
  std::vector<std::size_t> order_;                    // breadth first
  program_closure result_;
  bool has_static_tls_ = false;
};

// Where the dynamic linker says what would end the program at its start: a version that a library does not have.
void check_complaint(const std::string& path, const listed_objects& listed) {
  const std::string& text = listed.complaint();
  if (text.empty() || text.find("no version information") != std::string::npos ||
      text.find("cannot be preloaded") != std::string::npos)
    return;
  throw loader_refusal::for_all(path, printable_word(text));
}

}  // namespace

program_closure closure_of(const std::string& path, const char* const* environment) {
  const object_file file(path);
  check_program(file);
  const std::string real = real_path(path);
  listed_objects listed(ask_dynamic_linker(real, "", environment != nullptr ? environment : core::environment()));
  program_closure closure = closure_search(listed, file, real, closure_search::none).run();
  check_complaint(path, listed);
  closure.interpreter = file.interpreter();
  if (const Elf64_Phdr* const tls = file.segment(PT_TLS); tls != nullptr) {
    closure.tls_bytes = tls->p_memsz;
    closure.tls_alignment = std::max<std::uint64_t>(tls->p_align, 1);
  }
  for (const program_object& each : closure.objects) {
    if (!each.is_private && each.name.find("libtsan.so") != std::string::npos)
      throw loader_refusal(path, "it is built with ThreadSanitizer", "Build it without -fsanitize=thread");
  }
  return closure;
}

program_closure closure_of_plug_in(const std::string& name, const std::string& opened_by,
                                   const char* const* environment) {
  if (environment == nullptr) environment = core::environment();
  const bool is_path = name.find('/') != std::string::npos;
  const bool is_list = name.find_first_of(" :") != std::string::npos;  // for LD_PRELOAD
  std::optional<listed_objects> listed;
  std::optional<object_file> by_itself;
  std::size_t number = closure_search::none;
  if (is_path && is_list) {
    listed.emplace(ask_dynamic_linker(name, "", environment));
    by_itself.emplace(name);
  } else {
    const std::string opener = real_path(opened_by);
    listed.emplace(ask_dynamic_linker(opener, name, environment));
    if (object_file(opener).what() == kind::library) listed->add_asked(opener);
    const auto found = listed->find(name, opened_by);
    if (!found || listed->file(*found) == nullptr) {
      const std::string& complaint = listed->complaint();
      throw loader_refusal::for_all(name, complaint.empty() ? std::string("not found") : printable_word(complaint));
    }
    number = *found;
  }
  const object_file& file = by_itself ? *by_itself : *listed->file(number);
  if (file.what() != kind::library) throw loader_refusal(name, "it is not a library for this machine", "");
  const sharing its = sharing_of(file, name);
  if (its != sharing::none) {  // libc.so.6, say
    if (its == sharing::comes_first)
      throw loader_refusal(name, "it is an allocator, which has to be there from the start",
                           "Link the program with it");
    program_closure closure;
    closure.objects.push_back({.name = name, .path = file.path(), .is_private = false, .needs = {}});
    return closure;
  }
  program_closure closure = closure_search(*listed, file, file.path(), number).run();
  closure.objects.front().name = name;
  return closure;
}

}  // namespace pure::core
