#include "network/network_plugin.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/allocator.hpp"
#include "base/printable_text.hpp"
#include "base/thread_sanitizer.hpp"

namespace pure::core {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_network(const std::string& text) { throw Error(errc::state, text); }

// The folder of the file that this code was loaded from.
fs::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  fs::path file = fs::canonical(info.dli_fname, error);
  if (error) file = fs::read_symlink("/proc/self/exe", error);  // a program in PATH, called by its name
  if (error) {                                                  // without /proc
    const auto executed = getauxval(AT_EXECFN);
    if (executed != 0)
      file = fs::canonical(reinterpret_cast<const char*>(executed), error);  // NOLINT(performance-no-int-to-ptr)
  }
  return error ? fs::path{} : file.parent_path();
}

// Whether the plug-in's MPI must be kept from symbols of the program, because that has MPI_* functions of its own (or
// of another MPI). Not otherwise: a library that looks into its own scope first finds libc's `environ`, and where the
// program refers to environ that is not the one that libc uses (the program has a copy, by a copy relocation), and MPIs
// crash. `inside_name`: a function of that MPI's inside.
bool own_scope_first(const char* inside_name) {
  void* const of_program = dlsym(RTLD_DEFAULT, "MPI_Init");
  if (of_program == nullptr) return false;
  // A program that is linked with the same MPI: then that one serves both. It is known by a function of its inside.
  void* const inside = dlsym(RTLD_DEFAULT, inside_name);
  Dl_info program{}, library{};
  if (inside != nullptr && dladdr(of_program, &program) != 0 && dladdr(inside, &library) != 0 &&
      program.dli_fbase == library.dli_fbase) {
    return false;
  }
  void* const libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  const void* const of_libc = libc != nullptr ? dlsym(libc, "environ") : nullptr;
  if (of_libc != nullptr && of_libc != static_cast<void*>(&environ)) {
    refuse_network(
        "the program has MPI functions of its own and refers to `environ`; both together keep an MPI from working. Use "
        "getenv and setenv instead, or compile the program with -fPIC.");
  }
  if (has_other_allocator()) {
    refuse_network(
        "the program has MPI functions and an allocator of its own (a library with malloc, as tcmalloc); both together "
        "keep an MPI from working. Use Pure's own processes (--mpi none), or leave the allocator out.");
  }
  return true;
}

// UCX, below MPICH, stands in front of madvise, which libc calls when a thread has ended, and takes a lock there. By
// then ThreadSanitizer has forgotten the thread, and crashes. UCX looks at its environment as it is loaded.
void keep_ucx_from_memory_calls() noexcept {
  if (runs_under_thread_sanitizer()) setenv("UCX_MEM_MMAP_HOOK_MODE", "none", 0);  // NOLINT(concurrency-mt-unsafe)
}

/// A library over an MPI.
class plugin_network final : public network_kind {
 public:
  struct description {
    std::string_view name, name_for_people;
    std::string_view packages;  // of Debian, for the remedy
    const char* inside;         // a function of the MPI's inside
  };
  constexpr explicit plugin_network(const description& its) noexcept
      : network_kind(its.name, its.name_for_people), packages_(its.packages), inside_(its.inside) {}

  /// Where it is, in these folders; empty: nowhere.
  [[nodiscard]] std::string path_in(const std::vector<std::string>& folders) const;

  [[nodiscard]] bool is_there(const settings& values) const override {
    return !path_in(plugin_folders(values)).empty();
  }
  [[nodiscard]] bool can_connect(const process_launch& /*launched*/) const override { return true; }
  [[nodiscard]] std::string remedy() const override {
    return fmt::format("install {} with its headers (Debian: {}) and build Pure again", name_for_people(), packages_);
  }
  [[nodiscard]] std::unique_ptr<network> open(const settings& values, const process_launch& launched,
                                              network_opening& opening) const override;

 private:
  const std::string_view packages_;
  const char* const inside_;
};

const plugin_network mpich_plugin(
    {.name = "mpich", .name_for_people = "MPICH", .packages = "mpich libmpich-dev", .inside = "MPIR_Err_return_comm"});
const plugin_network openmpi_plugin({.name = "openmpi",
                                     .name_for_people = "Open MPI",
                                     .packages = "openmpi-bin libopenmpi-dev",
                                     .inside = "ompi_mpi_init"});
constexpr std::array<const plugin_network*, 2> all_plugins = {&mpich_plugin, &openmpi_plugin};

}  // namespace

std::vector<std::string> plugin_folders(const settings& values) {
  if (!values.plugin_dir.empty()) return {values.plugin_dir};
  const fs::path own = own_folder();
  std::vector<std::string> folders{own.string()};
  // From a bin, or from below a build's top, to the libraries beside it.
  fs::path above = own;
  for (int level = 0; level < 3 && above.has_relative_path(); ++level) {
    above = above.parent_path();
    for (const char* const name : {"lib", "lib64"}) folders.push_back((above / name).string());
#ifdef PURE_LIBRARY_FOLDER
    folders.push_back((above / PURE_LIBRARY_FOLDER).string());
#endif
  }
  return folders;
}

std::vector<const network_kind*> plugin_networks() { return {all_plugins.begin(), all_plugins.end()}; }

std::vector<std::string> networks_found(const std::vector<std::string>& folders) {
  std::vector<std::string> found;
  for (const plugin_network* const each : all_plugins) {
    if (!each->path_in(folders).empty()) found.emplace_back(each->name());
  }
  return found;
}

std::string plugin_network::path_in(const std::vector<std::string>& folders) const {
  return plugin_path(name(), folders);
}

std::string plugin_path(std::string_view name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code ignored;
    const fs::path file = fs::path(folder) / fmt::format("libpure_net_{}.so", name);
    if (fs::is_regular_file(file, ignored)) return file.string();
  }
  return {};
}

std::unique_ptr<network> plugin_network::open(const settings& values, const process_launch& /*launched*/,
                                              network_opening& opening) const {
  const std::string path = path_in(plugin_folders(values));
  keep_ucx_from_memory_calls();
  // Never closed: MPIs leave threads and handlers behind.
  void* const plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | (own_scope_first(inside_) ? RTLD_DEEPBIND : 0));
  if (plugin == nullptr) {
    const char* const why = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread
    refuse_network(fmt::format(
        "the network for {} cannot be loaded: {}. Is the MPI that Pure was built with still installed, and its "
        "folder in LD_LIBRARY_PATH if it is not the system's?",
        name_for_people(), printable_word(why != nullptr ? why : path)));
  }
  const auto function = reinterpret_cast<open_network_function>(dlsym(plugin, open_network_symbol));
  std::unique_ptr<network> opened(function != nullptr ? function(opening) : nullptr);
  if (opened == nullptr && opening.error[0] == '\0') {
    refuse_network(
        fmt::format("{} is of another version of Pure than the library that loads it; install both together.",
                    printable_word(path)));
  }
  return opened;
}

}  // namespace pure::core
