// The network over MPI, of whichever MPI this plug-in is compiled for. Only files of this folder see <mpi.h>.
//
// Three communicators of its own: messages, payloads, and what all do at the start and the end; nothing meets the
// program's own MPI, if it has one.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "net_mpi/message_slots.hpp"
#include "network/network.hpp"

namespace pure::net_mpi {

using core::network_events;
using core::network_opening;
using core::network_operation;

/// "MPI_Isend of 8 bytes to process 3: message truncated" for a failed call.
std::string failure_text(int error, const std::string& what);

class mpi_network final : public core::network {
 public:
  explicit mpi_network(const network_opening& opening);
  ~mpi_network() override;

  /// False, and why, if the processes do not fit together. Collective.
  bool open(const network_opening& opening, std::string& error);

  bool send_message(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override;
  bool send(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override;
  bool send_short(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override;
  bool receive(network_operation& receiving, int process, int tag, void* data, std::size_t bytes) override;
  bool cancel(network_operation& receiving) override;
  bool poll(network_events& events) override;

  [[noreturn]] void abort(int status) noexcept override;
  void finalize(int status) override;

 private:
  enum class direction : unsigned char { out, in };
  struct under_way {  // beside the request of the same index
    network_operation* operation;
    direction way;
    bool is_cancelled = false;  // it has been asked for
  };

  bool hear_of_end(std::string& error);
  bool agree(const network_opening& opening, std::string& error);
  void failed(int error, const std::string& what);
  bool succeeded(int error, const char* call, int process, std::size_t bytes) {
    if (error == MPI_SUCCESS) [[likely]]
      return true;
    failed_between(error, call, process, bytes);
    return false;
  }
  bool of_slots(const mpi_result& result) { return succeeded(result.error, result.call, -1, peers_.message_bytes); }
  void failed_between(int error, const char* call, int process, std::size_t bytes);

  void begin(network_operation& starting) noexcept;
  void watch(network_operation& started, MPI_Request request, direction way);
  bool send_and_test(network_operation& sending, int process, int tag, const void* data, std::size_t bytes,
                     MPI_Comm among);
  bool test_and_watch(network_operation& started, MPI_Request request, direction way);
  /// Calls start(offset, bytes, request) for each piece: MPI counts in int. No bytes are one piece. None is tested
  /// here: that would drive all of MPI, which may find large messages to copy, before whoever posts a receive has sent
  /// what others wait for.
  template <class Start>
  void in_pieces(network_operation& starting, std::size_t bytes, direction way, Start start) {
    begin(starting);
    std::size_t offset = 0;
    do {
      const std::size_t piece = std::min(bytes - offset, piece_bytes_);
      MPI_Request request = MPI_REQUEST_NULL;
      if (broken_ || !start(offset, static_cast<int>(piece), request)) return;
      watch(starting, request, way);
      offset += piece;
    } while (offset < bytes);
  }
  bool poll_slots(network_events& events);
  bool poll_operation(network_events& events);
  bool poll_with_operations(network_events& events);
  void take_in(network_events& events, const MPI_Status& status);
  void tidy_up();
  bool piece_done(const under_way& done, const MPI_Status& status);
  void forget(std::size_t index) noexcept;

  void (*const report_)(void*, const char*);
  void (*const ends_below_)(void*);
  void* const context_;
  const std::size_t piece_bytes_;
  bool broken_ = false;
  bool started_mpi_ = false;          // and not the program, so this has to end it
  int end_key_ = MPI_KEYVAL_INVALID;  // of the attribute by which it hears that the program ends MPI
  MPI_Comm messages_ = MPI_COMM_NULL;
  MPI_Comm payloads_ = MPI_COMM_NULL;
  MPI_Comm together_ = MPI_COMM_NULL;  // for what all do when it opens and when it ends

  message_slots slots_;
  MPI_Request ended_ = MPI_REQUEST_NULL;  // an operation's, complete, that is not let go of yet

  // [0] stands for the oldest slot, so that one call tests it together with the operations.
  std::vector<MPI_Request> requests_;
  std::vector<under_way> under_way_;
  std::size_t next_tested_ = 1;  // where there are too many for one call
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<network_operation*> finished_;
};

}  // namespace pure::net_mpi
