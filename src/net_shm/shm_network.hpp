// The network of processes of one machine, over memory that they share: no MPI is needed. Built into the library.
//
//   segment        what lies in that memory
//   doorbell       how a process that sleeps is woken
//   outgoing       records into the rings of the others, and those that find no room
//   pair_cells     longer ones, through memory that changes hands with them
//   watched_rings  records of the others
//   payloads       what is too large for a record
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "net_shm/doorbell.hpp"
#include "net_shm/job_segment.hpp"
#include "net_shm/outgoing.hpp"
#include "net_shm/payloads.hpp"
#include "net_shm/segment.hpp"
#include "net_shm/watched_rings.hpp"
#include "network/network.hpp"

namespace pure::net_shm {

class shm_network final : public core::network {
 public:
  /// All processes have one, or will: see come().
  shm_network(const core::network_opening& opening, std::shared_ptr<const opened_segment> segment, int process,
              cell_manner cells = {}, payload_ways ways = {});

  /// Says that this process has come. Throws pure::Error (state) if another program is that process: what one has in
  /// the segment, another one cannot go on with. A job that follows another one: net_shm/successive_jobs.hpp.
  void come();
  /// Then waits until all have come. Before that nothing is sent.
  void meet_others();

  bool send_message(core::network_operation& sending, int process, int tag, const void* data,
                    std::size_t bytes) override;
  bool send(core::network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override;
  bool send_short(core::network_operation& sending, int process, int tag, const void* data,
                  std::size_t bytes) override {
    return send(sending, process, tag, data, bytes);
  }
  bool receive(core::network_operation& receiving, int process, int tag, void* data, std::size_t bytes) override;
  bool cancel(core::network_operation& receiving) override { return payloads_.cancel(receiving); }
  bool poll(core::network_events& events) override;

  [[nodiscard]] int wake_descriptor() const noexcept override { return bell_.descriptor(); }
  void arm() noexcept override { bell_.arm(); }
  void disarm() noexcept override { bell_.disarm(); }

  void look_at_starter() noexcept override;

  /// For tests: what has been started and has not ended.
  void add_open_accounts(core::open_accounts& to) const;

  [[noreturn]] void abort(int status) noexcept override;
  void finalize(int status) override;
  void leave_at_once() noexcept override;

 private:
  /// What throws, fails the network.
  template <class Do>
  auto guarded(Do&& what) noexcept -> decltype(what());
  void fail(const std::string& why) noexcept;
  void damaged(int from, const record& what);
  void take_in(int from, const arrived_record& what, core::network_events& events);
  void take_in_cell(int from, const record& what, core::network_events& events);

  void (*const report_)(void*, const char*);
  void* const context_;
  bool is_broken_ = false;
  const std::shared_ptr<const opened_segment> segment_;
  const segment_view front_;
  const int process_;
  doorbell bell_;
  all_cells cells_;
  outgoing out_;
  watched_rings in_;
  payloads payloads_;
};

}  // namespace pure::net_shm
