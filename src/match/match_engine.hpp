// The match engine: one rank's messages, sent and received (DESIGN D3). As the service of the rank it moves on its two
// halves, which do not know each other: message_sender and message_receiver. Own thread of the rank only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/open_accounts.hpp"
#include "match/message_receiver.hpp"
#include "match/message_sender.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "runtime/rank_service.hpp"

namespace pure::core {

class message_checks;
class remote_ranks;
struct unreceived_message;

/// The halves of an engine, each by its own address: for who sends or receives on the short path, which need not
/// compute it then.
struct message_halves {
  message_sender& sender;
  message_receiver& receiver;
  message_checks* checks;  // null unless messages are checked
};

class match_engine final : public rank_service<match_engine, 0> {
 public:
  explicit match_engine(rank_context& self);
  ~match_engine() override;

  [[nodiscard]] rank_context& self() const noexcept { return self_; }
  [[nodiscard]] message_sender& sender() noexcept { return sender_; }
  [[nodiscard]] message_receiver& receiver() noexcept { return receiver_; }
  /// Null unless messages are checked (PURE_CHECK). Then each send that starts has its number from them.
  [[nodiscard]] message_checks* checks() const noexcept { return checks_.get(); }

  // ---- the service of the rank ----

  bool advance() override;
  bool give_back_unused() noexcept override;
  [[nodiscard]] bool helps_receivers() const noexcept override { return true; }
  void help_receivers() noexcept override { sender_.help_receivers(); }
  bool end_main() noexcept override { return sender_.has_waiting(); }  // its sends go on
  void close() noexcept override;
  /// True once the job has failed and all ranks have stopped.
  [[nodiscard]] bool is_closed() const noexcept { return sender_.is_closed(); }

  /// The messages to this rank that nobody has received, and those of this rank that have not left it. Takes them out
  /// of their rings. When no rank runs.
  std::vector<unreceived_message> unreceived();
  /// What has been started here and is not complete: nothing, where a program has completed what it has started. (A
  /// message that its sender has taken back may stay among the unexpected ones.)
  void add_open_accounts(open_accounts& to) const;

 private:
  rank_context& self_;
  remote_ranks* const remote_;  // null: all ranks are in this process
  const std::unique_ptr<message_checks> checks_;
  message_receiver receiver_;
  message_sender sender_;
};

}  // namespace pure::core
