// Answers that come as payloads, straight into the memory of the rank that has asked; or into memory that is thrown
// away, where nobody waits any more. By who has the network lock.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <utility>

#include "runtime/active_message.hpp"
#include "window/remote_access.hpp"

namespace pure::core {

class arriving_answers {
 public:
  /// `to`: of nobody, or of a request of that many bytes, in a row. Throws std::bad_alloc.
  [[nodiscard]] active_payload& add(open_answer to, std::size_t bytes) {
    std::unique_ptr<std::byte[]> unwanted;
    if (to.asked == nullptr) unwanted = std::make_unique_for_overwrite<std::byte[]>(bytes);
    arriving& made = coming_.emplace_front(*this);
    made.place = coming_.begin();
    made.bytes = bytes;
    if (to.asked == nullptr) {
      made.unwanted = std::move(unwanted);
      made.data = made.unwanted.get();
    } else {
      made.data = static_cast<std::byte*>(to.into.base) + to.first;
      to.asked->payload_comes();
    }
    made.to = std::move(to);
    return made;
  }

 private:
  struct arriving final : active_payload {
    explicit arriving(arriving_answers& among) noexcept : all(among) {}
    void has_moved() noexcept override {
      unwanted.reset();
      all.forget(*this);
      if (to.asked != nullptr) remote_access::payload_has_come(to);
    }

    arriving_answers& all;
    std::list<arriving>::iterator place;
    open_answer to;
    std::unique_ptr<std::byte[]> unwanted;
  };

  /// The answer itself stays until the next one has come: it is what calls this.
  void forget(arriving& come) noexcept {
    last_come_.clear();
    last_come_.splice(last_come_.begin(), coming_, come.place);
  }

  std::list<arriving> coming_;  // stays where it is while it comes
  std::list<arriving> last_come_;
};

}  // namespace pure::core
