#include "network/network_plugin.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "base/thread_sanitizer.hpp"

namespace pure::core {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> known_networks = {"mpich", "openmpi"};

std::string plugin_file(std::string_view network) { return fmt::format("libpure_net_{}.so", network); }

std::string_view name_for_people(std::string_view network) {
  return network == "mpich" ? "MPICH" : network == "openmpi" ? "Open MPI" : network;
}

std::string to_install(std::string_view network) {
  return fmt::format("install {} with its headers (Debian: {}) and build Pure again", name_for_people(network),
                     network == "mpich" ? "mpich libmpich-dev" : "openmpi-bin libopenmpi-dev");
}

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
// crash.
bool own_scope_first(std::string_view network) {
  void* const of_program = dlsym(RTLD_DEFAULT, "MPI_Init");
  if (of_program == nullptr) return false;
  // A program that is linked with the same MPI: then that one serves both. It is known by a function of its inside.
  void* const inside = dlsym(RTLD_DEFAULT, network == "mpich" ? "MPIR_Err_return_comm" : "ompi_mpi_init");
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
  return true;
}

// UCX, below MPICH, stands in front of madvise, which libc calls when a thread has ended, and takes a lock there. By
// then ThreadSanitizer has forgotten the thread, and crashes. UCX looks at its environment as it is loaded.
void keep_ucx_from_memory_calls() noexcept {
  if (runs_under_thread_sanitizer()) setenv("UCX_MEM_MMAP_HOOK_MODE", "none", 0);  // NOLINT(concurrency-mt-unsafe)
}

std::string listed(const std::vector<std::string>& found) {
  std::string text;
  for (const std::string& each : found) text += (text.empty() ? "" : " and ") + std::string(name_for_people(each));
  return text.empty() ? "no MPI" : text;
}

bool has_network(const std::vector<std::string>& found, std::string_view network) {
  return std::find(found.begin(), found.end(), network) != found.end();
}

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

std::vector<std::string> networks_found(const std::vector<std::string>& folders) {
  std::vector<std::string> found;
  for (const std::string_view network : known_networks) {
    const bool is_there = std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
      std::error_code ignored;
      return fs::is_regular_file(fs::path(folder) / plugin_file(network), ignored);
    });
    if (is_there) found.emplace_back(network);
  }
  return found;
}

void check_launch(const settings& values, const process_launch& launched) {
  if (values.processes == 0 || values.processes == launched.processes) return;
  if (launched.by == launcher::none) {
    refuse_network(fmt::format(
        "{} are asked for (PURE_PROCESSES), but this one was started by itself. `purerun -N {} PROGRAM` starts them; if a "
        "script stands between, its last command must be the program itself, with the environment that it was given.",
        counted(static_cast<std::uint64_t>(values.processes), "process"), values.processes));
  }
  refuse_network(
      fmt::format("{} {} asked for (PURE_PROCESSES), but {} has started {}. Either say the same to both, or start with "
                  "`purerun -N`, which does.",
                  counted(static_cast<std::uint64_t>(values.processes), "process"),
                  values.processes == 1 ? "is" : "are", launcher_name(launched.by), launched.processes));
}

std::string choose_network(const settings& values, const process_launch& launched,
                           const std::vector<std::string>& found) {
  const std::string_view suits = network_of(launched);
  const std::string started = fmt::format("{} has started {} processes", launcher_name(launched.by),
                                          launched.processes);
  if (launched.by == launcher::slurm && launched.with == slurm_interface::none) {
    refuse_network(
        fmt::format("{}, but without a way for them to find each other: start with `srun --mpi=pmi2` (MPICH) or `srun "
                    "--mpi=pmix` (Open MPI).",
                    started));
  }
  if (values.network != "auto") {
    if (!suits.empty() && suits != values.network) {
      refuse_network(fmt::format("{}, but PURE_NETWORK={} asks for {}: start with its mpiexec, or `purerun --mpi {}`.",
                                 started, values.network, name_for_people(values.network), values.network));
    }
    if (!has_network(found, values.network)) {
      refuse_network(fmt::format("PURE_NETWORK={}: Pure has been built for {}; {}.", values.network, listed(found),
                                 to_install(values.network)));
    }
    return values.network;
  }
  if (!suits.empty()) {
    if (has_network(found, suits)) return std::string(suits);
    refuse_network(fmt::format("{}, but Pure has been built for {}: {}{}.", started, listed(found),
                               found.empty() ? "" : fmt::format("start with `purerun --mpi {}`, or ", found.front()),
                               to_install(suits)));
  }
  if (found.empty())
    refuse_network(fmt::format("{}, but Pure has been built for no MPI: {}.", started, to_install("openmpi")));
  return has_network(found, "openmpi") ? "openmpi" : found.front();  // PMIx is Open MPI's own; MPICH may have it
}

std::unique_ptr<network> open_network(const settings& values, const process_launch& launched, network_opening opening) {
  const std::vector<std::string> folders = plugin_folders(values);
  const std::string name = choose_network(values, launched, networks_found(folders));
  std::string path;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    path = (fs::path(folder) / plugin_file(name)).string();
    if (fs::is_regular_file(path, ignored)) break;
  }
  keep_ucx_from_memory_calls();
  // Never closed: MPIs leave threads and handlers behind.
  void* const plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | (own_scope_first(name) ? RTLD_DEEPBIND : 0));
  if (plugin == nullptr) {
    const char* const why = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread
    refuse_network(fmt::format(
        "the network for {} cannot be loaded: {}. Is the MPI that Pure was built with still installed, and its "
        "folder in LD_LIBRARY_PATH if it is not the system's?",
        name_for_people(name), printable_word(why != nullptr ? why : path)));
  }
  const auto open = reinterpret_cast<open_network_function>(dlsym(plugin, open_network_symbol));
  opening.expected_processes = launched.processes;
  opening.is_on_one_host = launched.processes_on_host == launched.processes;
  opening.message_bytes = values.net_message_bytes;
  std::unique_ptr<network> opened(open != nullptr ? open(opening) : nullptr);
  if (opened == nullptr && opening.error[0] == '\0') {
    refuse_network(
        fmt::format("{} is of another version of Pure than the library that loads it; install both together.",
                    printable_word(path)));
  }
  if (opened == nullptr) {
    refuse_network(fmt::format("{} cannot connect the processes that {} has started: {}.", name_for_people(name),
                               launcher_name(launched.by), opening.error.data()));
  }
  return opened;
}

}  // namespace pure::core
