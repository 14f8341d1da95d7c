// Payloads of active messages, both ways. All of one process have one tag of the network: they are sent when their
// messages leave (control_channel.hpp), and received when these come, so in the same order.
//
// By the holder of the network lock.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/open_accounts.hpp"
#include "gateway/context.hpp"
#include "gateway/gateway_operation.hpp"
#include "runtime/active_message.hpp"

namespace pure::core {

class active_payloads {
 public:
  struct moving : gateway_operation {
    moving() noexcept : gateway_operation(kind::active) {}
    active_payload* its = nullptr;
  };

  explicit active_payloads(gateway_context& context) noexcept : context_(context) {}

  void send(int process, active_payload& what);
  void receive(int process, active_payload& into);
  /// The network reports it.
  void has_moved(moving& done) noexcept;

  [[nodiscard]] bool empty() const noexcept { return free_.size() == all_.size(); }
  void add_open_accounts(open_accounts& to) const;

 private:
  [[nodiscard]] moving& start(active_payload& its);
  void end(moving& done) noexcept;
  [[nodiscard]] int tag() const noexcept { return static_cast<int>(streams::active_tag(context_.largest_tag())); }

  gateway_context& context_;
  std::vector<std::unique_ptr<moving>> all_;
  std::vector<moving*> free_;  // of them; with room for all
};

}  // namespace pure::core
