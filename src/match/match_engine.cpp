#include "match/match_engine.hpp"

#include "match/message_checks.hpp"
#include "match/remote_ranks.hpp"

namespace pure::core {

namespace {

ring& connect_by_mail(const rank_context& to, int from) { return match_engine::of(to).receiver().mail().connect(from); }

}  // namespace

message_terms message_terms::of(const rank_context& self, message_checks* checks) noexcept {
  const std::size_t limit = self.owner().values().eager_limit_bytes;
  const bool is_watched = self.log() != nullptr || checks != nullptr;
  return {.remote = remote_ranks::of(self.owner()),
          .log = self.log(),
          .checks = checks,
          .eager_limit_bytes = limit,
          .short_path_end = is_watched ? 0 : limit + 1};
}

match_engine::match_engine(rank_context& self)
    : self_(self),
      remote_(remote_ranks::of(self.owner())),
      checks_(self.owner().values().check ? std::make_unique<message_checks>(self) : nullptr),
      receiver_(self, message_terms::of(self, checks_.get())),
      sender_(self, message_terms::of(self, checks_.get()), connect_by_mail) {}

match_engine::~match_engine() = default;

bool match_engine::advance() {
  const bool has_polled = remote_ != nullptr && remote_->poll(&self_);
  const bool has_received = receiver_.advance();
  return sender_.advance() || has_received || has_polled;
}

void match_engine::close() noexcept {
  receiver_.close();
  sender_.close();
}

void match_engine::add_open_accounts(open_accounts& to) const {
  receiver_.add_open_accounts(to);
  sender_.add_open_accounts(to);
}

}  // namespace pure::core
