// The senders that a rank knows: of each a channel with its ring, the receives that name it, and its unexpected
// messages.
//
// Own thread of the rank, apart from mail(), through which senders connect.
//
// Invariants: a sender has one channel, from when the two first talk, which stays where it is. A closed rank polls an
// empty ring for every sender.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/open_accounts.hpp"
#include "base/peer_table.hpp"
#include "match/message_streams.hpp"
#include "match/posted_receives.hpp"
#include "match/unexpected_messages.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "transport/inbox.hpp"

namespace pure::core {

struct unreceived_message;

struct in_channel {
  in_channel(ring& its_ring, unexpected_total& of_all) noexcept : from(&its_ring), unexpected(of_all) {}

  ring* from;
  posted_receives::queue posted;  // receives that name this sender
  unexpected_queue unexpected;
  message_streams streams;
};

class in_channels {
 public:
  explicit in_channels(rank_context& self);
  in_channels(const in_channels&) = delete;
  in_channels& operator=(const in_channels&) = delete;
  /// Also destroys the objects in messages that nobody has received.
  ~in_channels();

  [[nodiscard]] inbox& mail() noexcept { return inbox_; }

  /// Null: the two have never talked.
  [[nodiscard]] in_channel* find(int sender) const noexcept { return of_[sender]; }
  /// Of a sender that has one.
  [[nodiscard]] in_channel& known(int sender) const noexcept { return *of_[sender]; }
  in_channel& from(int sender) {
    in_channel* const there = of_[sender];
    return there != nullptr ? *there : open(sender, nullptr);
  }
  [[nodiscard]] std::span<in_channel* const> all() const noexcept { return all_; }
  [[nodiscard]] std::size_t count() const noexcept { return all_.size(); }
  /// By index, for what runs user code, which may open others.
  [[nodiscard]] in_channel& at(std::size_t index) const noexcept { return *all_[index]; }
  /// Of all channels.
  [[nodiscard]] unexpected_total& unexpected() noexcept { return unexpected_; }
  [[nodiscard]] const unexpected_total& unexpected() const noexcept { return unexpected_; }

  /// Makes channels of the rings that senders have announced.
  void adopt_announced();

  /// Calls visit(channel) for each, until it returns true; that sender is the last to be asked the next time, so that
  /// none is starved.
  template <class Visit>
  bool any(Visit visit) {
    const std::size_t channels = all_.size();  // visit() may open others
    std::size_t at = first_asked_ < channels ? first_asked_ : 0;
    for (std::size_t left = channels; left > 0; --left) {
      in_channel& each = *all_[at];
      if (++at == channels) at = 0;
      if (visit(each)) {
        first_asked_ = at;
        return true;
      }
    }
    return false;
  }

  /// Releases the record, and wakes a sender who may wait for the room.
  void pop(in_channel& channel, const record& done) const noexcept {
    if (channel.from->pop(done)) [[unlikely]]
      self_.owner().notified_for(channel.from->source()).notify();
  }

  void tell_idle_senders() noexcept;
  void add_open_accounts(open_accounts& to) const;
  /// The messages that are left. Takes them out of their rings. When no rank runs.
  void add_unreceived(std::vector<unreceived_message>& to);
  /// Forgets all receives.
  void close() noexcept;

 private:
  in_channel& open(int sender, ring* announced);

  inbox inbox_;  // first: its alignment would leave a gap
  rank_context& self_;
  peer_table<in_channel> of_;  // by sender
  std::vector<in_channel*> all_;
  std::size_t first_asked_ = 0;
  bool is_closed_ = false;
  unexpected_total unexpected_;
};

}  // namespace pure::core
