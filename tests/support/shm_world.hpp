// The network over shared memory, with all its processes in this one: each is an end, over one segment.
//
// For unit tests, for the random programs of tests/net without launchers, and for ThreadSanitizer, which sees no memory
// that several processes map.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/open_accounts.hpp"
#include "net_shm/job_segment.hpp"
#include "net_shm/shm_network.hpp"
#include "support/network_world.hpp"

namespace test_support {

class shm_world final : public network_world {
 public:
  explicit shm_world(int processes, pure::net_shm::payload_ways ways = {}, std::size_t message_bytes = 17 * 1024,
                     bool sums_messages = false, pure::net_shm::cell_manner cells = {})
      : segment_(processes) {
    pure::core::network_opening opening;
    opening.message_bytes = message_bytes;
    opening.sums_messages = sums_messages;
    opening.failed = [](void* context, const char* text) { static_cast<shm_world*>(context)->fail(text); };
    opening.context = this;
    for (int process = 0; process < processes; ++process) {
      ends_.push_back(std::make_unique<pure::net_shm::shm_network>(
          opening, std::make_shared<pure::net_shm::opened_segment>(segment_), process, cells, ways));
    }
    std::vector<std::thread> all;
    for (const auto& each : ends_) {
      all.emplace_back([&each] {
        each->come();
        each->meet_others();
      });
    }
    for (std::thread& each : all) each.join();
  }

  [[nodiscard]] int processes() const noexcept override { return static_cast<int>(ends_.size()); }
  [[nodiscard]] pure::net_shm::shm_network& end(int process) override {
    return *ends_[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] const pure::net_shm::job_segment& segment() const noexcept { return segment_; }

  /// What the ends have started, and has not ended. Where all is done it is empty.
  [[nodiscard]] std::string open_accounts() const {
    pure::core::open_accounts all;
    for (const auto& each : ends_) each->add_open_accounts(all);
    return all.text();
  }

  std::vector<std::string> failures;
  /// Else who waits for what does not come waits for ever.
  bool does_failure_end_process = false;

 private:
  void fail(const char* text) {
    const std::lock_guard lock(guard_);
    failures.emplace_back(text);
    if (!does_failure_end_process) return;
    std::fprintf(stderr, "the network has failed: %s\n", text);
    std::_Exit(1);
  }

  std::mutex guard_;  // of failures: each end has a thread
  const pure::net_shm::job_segment segment_;
  std::vector<std::unique_ptr<pure::net_shm::shm_network>> ends_;
};

}  // namespace test_support
