#include "match/match_engine.hpp"

#include "match/message_checks.hpp"
#include "match/remote_ranks.hpp"
#include "match/unreceived.hpp"

namespace pure::core {

namespace {

ring& connect_by_mail(const rank_context& to, int from) { return match_engine::of(to).receiver().mail().connect(from); }

/// Of the pair's two inboxes, that of the rank with the lower number has them.
cell_end& cells_by_mail(const rank_context& self, const rank_context& other) {
  const bool is_first = self.number() < other.number();
  const rank_context& first = is_first ? self : other;
  const rank_context& second = is_first ? other : self;
  return match_engine::of(first).receiver().mail().cells_with(second.number()).end(is_first ? 0 : 1);
}

const send_log& log_of(const rank_context& sender) { return match_engine::of(sender).checks()->sends(); }

message_terms terms_of(const rank_context& self, message_checks* checks) noexcept {
  const std::size_t limit = self.owner().values().eager_limit_bytes;
  const std::string& cells = self.owner().values().cells;
  const bool is_watched = self.log() != nullptr || checks != nullptr;
  return {.remote = remote_ranks::of(self.owner()),
          .log = self.log(),
          .checks = checks,
          .eager_limit_bytes = limit,
          .cells_from_bytes = cells == "off" ? message_terms::no_cells : message_terms::worth_cells_bytes,
          .cells = cells == "off"  ? cell_use::never
                   : cells == "on" ? cell_use::always
                                   : cell_use::by_measurement,
          .most_packed_bytes = self.owner().values().packed_copy_max_bytes,
          .short_path_end = is_watched ? 0 : limit + 1};
}

}  // namespace

match_engine::match_engine(rank_context& self)
    : self_(self),
      remote_(remote_ranks::of(self.owner())),
      checks_(self.owner().values().check ? std::make_unique<message_checks>(self, log_of) : nullptr),
      receiver_(self, terms_of(self, checks_.get())),
      sender_(self, terms_of(self, checks_.get()), {connect_by_mail, cells_by_mail}) {}

match_engine::~match_engine() = default;

bool match_engine::advance() {
  const bool has_polled = remote_ != nullptr && remote_->poll(&self_);
  const bool has_received = receiver_.advance();
  return sender_.advance() || has_received || has_polled;
}

bool match_engine::give_back_unused() noexcept {
  receiver_.tell_idle_senders();
  return sender_.give_back_unused();
}

void match_engine::close() noexcept {
  receiver_.close();
  sender_.close();
}

void match_engine::add_open_accounts(open_accounts& to) const {
  receiver_.add_open_accounts(to);
  sender_.add_open_accounts(to);
}

std::vector<unreceived_message> match_engine::unreceived() {
  std::vector<unreceived_message> all;
  receiver_.add_unreceived(all);
  sender_.add_unsent(all);
  if (remote_ != nullptr) remote_->add_unreceived(self_, all);
  return all;
}

}  // namespace pure::core
