// Opening the network: MPI is started if the program has not done so, the processes look who is there, and whether they
// are parts of one job.
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <pure/export.hpp>
#include <pure/version.hpp>

#include "net_mpi/any_source.hpp"
#include "net_mpi/eager_limits.hpp"
#include "net_mpi/mpi_network.hpp"

namespace pure::net_mpi {
namespace {

// What every process tells the others.
struct greeting {
  char host[256];
  char version[32];
  std::uint32_t interface_version;
  std::uint32_t byte_order;
  std::uint64_t message_bytes;
  std::uint64_t piece_bytes;
  std::int32_t first_sharing;  // the lowest process with which it can share memory, by the MPI
  char boot[64];               // by which its kernel knows itself since it was started; empty: it does not say
};

void read_boot(char (&boot)[64]) {
  std::string line;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), line);
  std::strncpy(boot, line.c_str(), sizeof boot - 1);
}

// By process: the number of its host, or machine, in the order of the first processes. Two are on one if the MPI says
// that they can share memory, or if they have the same key. (An MPI may have been told to take each process for a host,
// or may have found one by several names. Hosts that are namespaces or containers share the cores of their machine, and
// two ranks that poll on one core answer each other after milliseconds.)
template <class Key>
std::vector<int> numbered(const std::vector<greeting>& all, Key key_of) {
  std::vector<int> numbers;
  std::map<std::int32_t, int> by_mpi;
  std::map<std::string, int> by_key;
  int known = 0;
  for (const greeting& each : all) {
    const std::string key = each.boot[0] == '\0' ? std::string() : key_of(each);
    const auto sharing = by_mpi.find(each.first_sharing);
    const auto same = by_key.find(key);
    const int number = sharing != by_mpi.end() ? sharing->second : same != by_key.end() ? same->second : known++;
    by_mpi.try_emplace(each.first_sharing, number);
    if (!key.empty()) by_key.try_emplace(key, number);
    numbers.push_back(number);
  }
  return numbers;
}

// What must be the same in two processes; empty if it is.
std::string difference(const greeting& a, const greeting& b) {
  const auto differ = [](const std::string& what, const auto& left, const auto& right) {
    return what + " (" + left + " and " + right + ")";
  };
  using std::to_string;
  if (std::strcmp(a.version, b.version) != 0 || a.interface_version != b.interface_version)
    return differ("the version of Pure", a.version, b.version);
  if (a.byte_order != b.byte_order)
    return "the order of the bytes in a number: their processors are of different kinds";
  if (a.message_bytes != b.message_bytes)
    return differ("the size of network messages", to_string(a.message_bytes), to_string(b.message_bytes));
  if (a.piece_bytes != b.piece_bytes)
    return differ("the size of network pieces", to_string(a.piece_bytes), to_string(b.piece_bytes));
  return {};
}

// The first line of what the library says about itself, without its date: "MPICH Version: 4.0.2", "Open MPI v4.1.4,
// ...".
std::string library_text() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string line(text, std::strcspn(text, "\n,"));
  std::replace(line.begin(), line.end(), '\t', ' ');
  if (const auto at = line.find("Version:"); at != std::string::npos) line.erase(at, std::strlen("Version:"));
  line.erase(std::unique(line.begin(), line.end(), [](char a, char b) { return a == ' ' && b == ' '; }), line.end());
  return line;
}

bool start_mpi(bool& started, const network_opening& opening, std::string& error) {
  int is_initialized = 0, is_finalized = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_finalized != 0) {
    error = "the program has ended its MPI already (MPI_Finalize); it must stay until Pure's ranks have ended";
    return false;
  }
  started = is_initialized == 0;
  // Crashes are reported by Pure, which names the rank, and not by Open MPI's handlers, unless somebody asks for those.
  if (started) setenv("OMPI_MCA_opal_signal", "", 0);
  if (started) raise_eager_limits(opening);
  const int result = started ? MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level)
                             : MPI_Query_thread(&level);
  if (result != MPI_SUCCESS) {
    error = failure_text(result, "MPI_Init_thread");
    return false;
  }
  if (started) {  // errors that belong to no communicator of ours
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  if (level >= MPI_THREAD_SERIALIZED) return true;
  error = started
              ? "this MPI does not allow several threads (MPI_THREAD_SERIALIZED)"
              : "the program has started MPI for one thread; it must ask for MPI_THREAD_SERIALIZED (MPI_Init_thread)";
  return false;
}

int duplicate_world(MPI_Comm& made) {
  const int error = MPI_Comm_dup(MPI_COMM_WORLD, &made);
  return error == MPI_SUCCESS ? MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN) : error;
}

}  // namespace

bool mpi_network::open(const network_opening& opening, std::string& error) {
  if (!start_mpi(started_mpi_, opening, error)) return false;
  peers_.library = library_text();
  MPI_Comm_rank(MPI_COMM_WORLD, &peers_.process);
  MPI_Comm_size(MPI_COMM_WORLD, &peers_.processes);
  if (opening.expected_processes != 0 && opening.expected_processes != peers_.processes) {
    error = "the launcher has started " + std::to_string(opening.expected_processes) + " processes, but " +
            peers_.library + " finds " + std::to_string(peers_.processes) +
            ": the launcher belongs to another MPI, or to another version of it";
    return false;
  }
  for (MPI_Comm* const each : {&messages_, &payloads_, &together_}) {
    if (const int failure = duplicate_world(*each); failure != MPI_SUCCESS) {
      error = failure_text(failure, "MPI_Comm_dup");
      return false;
    }
  }
  if (!agree(opening, error)) return false;
  if (ends_below_ != nullptr && !hear_of_end(error)) return false;
  const mpi_result opened = slots_.open(
      messages_, peers_.message_bytes,
      peers_.looks_for_messages ? message_slots::filling::looked_for : message_slots::filling::posted);
  if (opened.error != MPI_SUCCESS) error = failure_text(opened.error, opened.call);
  return opened.error == MPI_SUCCESS;
}

/// MPI_Finalize begins with deleting the attributes of MPI_COMM_SELF (MPI 4.1, 11.2.4).
bool mpi_network::hear_of_end(std::string& error) {
  const auto tell = [](MPI_Comm, int, void* attached, void*) {
    auto& self = *static_cast<mpi_network*>(attached);
    if (std::exchange(self.end_key_, MPI_KEYVAL_INVALID) == MPI_KEYVAL_INVALID) return MPI_SUCCESS;
    self.started_mpi_ = false;  // or it would be ended twice
    self.ends_below_(self.context_);
    return MPI_SUCCESS;
  };
  int failure = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &end_key_, nullptr);
  if (failure == MPI_SUCCESS) failure = MPI_Comm_set_attr(MPI_COMM_SELF, end_key_, this);
  if (failure != MPI_SUCCESS) error = failure_text(failure, "MPI_Comm_set_attr");
  return failure == MPI_SUCCESS;
}

bool mpi_network::agree(const network_opening& opening, std::string& error) {
  const auto failed = [&](int code, const char* call) {
    if (code != MPI_SUCCESS) error = failure_text(code, call);
    return code != MPI_SUCCESS;
  };
  MPI_Comm sharing = MPI_COMM_NULL;
  if (failed(MPI_Comm_split_type(together_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &sharing), "MPI_Comm_split_type"))
    return false;

  greeting mine{};
  gethostname(mine.host, sizeof mine.host - 1);
  std::strncpy(mine.version, PURE_VERSION, sizeof mine.version - 1);
  mine.interface_version = core::network_interface_version;
  mine.byte_order = 0x01020304;
  mine.message_bytes = opening.message_bytes;
  mine.piece_bytes = piece_bytes_;
  read_boot(mine.boot);
  mine.first_sharing = peers_.process;
  if (failed(MPI_Bcast(&mine.first_sharing, 1, MPI_INT32_T, 0, sharing), "MPI_Bcast")) return false;
  MPI_Comm_free(&sharing);

  std::vector<greeting> all(static_cast<std::size_t>(peers_.processes));
  if (failed(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, together_),
             "MPI_Allgather"))
    return false;

  peers_.host_of = numbered(all, [](const greeting& each) { return each.host + ('\n' + std::string(each.boot)); });
  peers_.machine_of = numbered(all, [](const greeting& each) { return std::string(each.boot); });
  peers_.processes_on_machine = 0;
  for (std::size_t process = 0; process < all.size(); ++process) {
    const greeting& each = all[process];
    if (const std::string what = difference(all.front(), each); !what.empty()) {
      error = "processes 0 (on " + std::string(all.front().host) + ") and " + std::to_string(process) + " (on " +
              each.host + ") do not agree about " + what;
      return false;
    }
    const int host = peers_.host_of[process];
    if (host == static_cast<int>(peers_.host_names.size())) peers_.host_names.emplace_back(each.host);
    if (!peers_.is_on_this_machine(static_cast<int>(process))) continue;
    if (static_cast<int>(process) < peers_.process) ++peers_.index_on_machine;
    ++peers_.processes_on_machine;
  }

  // Of those that the MPI's shared memory joins, the first ones, in a ring.
  std::vector<int> leaders;
  for (int process = 0; process < peers_.processes; ++process) {
    if (all[static_cast<std::size_t>(process)].first_sharing == process) leaders.push_back(process);
  }
  if (leaders.size() > 1) {
    const auto me = std::find(leaders.begin(), leaders.end(), peers_.process);
    const bool leads = me != leaders.end();
    const int next = leads && me + 1 != leaders.end() ? *(me + 1) : leaders.front();
    const mpi_result tried = loses_what_was_there(together_, leads, next, peers_.looks_for_messages);
    if (failed(tried.error, tried.call)) return false;
  }

  int* largest_tag = nullptr;
  int is_known = 0;
  MPI_Comm_get_attr(payloads_, MPI_TAG_UB, &largest_tag, &is_known);
  peers_.largest_tag = is_known != 0 ? *largest_tag : 32767;  // the least that the standard allows
  peers_.eager_bytes = known_eager_bytes();
  return true;
}

}  // namespace pure::net_mpi

extern "C" PURE_API pure::core::network* pure_open_network(pure::core::network_opening& opening) {
  using namespace pure;
  const auto refuse = [&](const std::string& text) -> core::network* {
    std::snprintf(opening.error.data(), opening.error.size(), "%s", text.c_str());
    return nullptr;
  };
  if (opening.interface_version != core::network_interface_version) return nullptr;  // the rest may be anything
  if (opening.message_bytes == 0 || opening.message_bytes > INT_MAX || opening.message_slots < 1 ||
      opening.piece_bytes == 0)
    return refuse("impossible sizes of messages");
  auto made = std::make_unique<net_mpi::mpi_network>(opening);
  std::string error;
  if (!made->open(opening, error)) return refuse(error);
  return made.release();
}
