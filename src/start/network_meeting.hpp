// The network between two jobs of the process, or a job's ranks: the thread that runs jobs makes calls that wait.
//
// Other processes may be ahead, and have ranks already: what these send meanwhile is kept for the next gateway.
#pragma once

#include <vector>

#include "gateway/gateway.hpp"
#include "network/network.hpp"
#include "network/process_collective.hpp"
#include "runtime/process_meeting.hpp"

namespace pure::core {

class network_meeting final : public process_meeting, private network_events {
 public:
  /// `over` outlives it; while a call of this one runs, nobody else is inside.
  explicit network_meeting(network& over) noexcept : network_(over), together_(over, this) {}

  [[nodiscard]] int process() const noexcept override { return network_.peers().process; }
  [[nodiscard]] int processes() const noexcept override { return network_.peers().processes; }
  [[nodiscard]] int host_of(int process) const noexcept override {
    return network_.peers().host_of[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] const std::vector<std::string>& host_names() const noexcept override {
    return network_.peers().host_names;
  }

  void all_gather(const void* mine, std::size_t bytes, void* all) override;
  void broadcast(void* data, std::size_t bytes) override;
  void send(int process, const void* data, std::size_t bytes) override;
  void receive(int process, void* data, std::size_t bytes) override;

  /// What has come for ranks of this process, in the order of arrival. Once each.
  [[nodiscard]] std::vector<gateway::early_packet> take_kept() noexcept { return std::exchange(kept_, {}); }

 private:
  void message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) override;
  void operation_done(network_operation& done) override;
  void wait_until_done(bool is_done);

  network& network_;
  process_collective together_;
  bool is_done_ = false;
  std::vector<gateway::early_packet> kept_;
};

}  // namespace pure::core
