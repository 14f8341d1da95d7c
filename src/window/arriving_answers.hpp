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
    all_.remove_if([](const arriving& each) { return each.has_come; });
    arriving& made = all_.emplace_back();
    made.bytes = bytes;
    if (to.asked == nullptr) {
      made.unwanted = std::make_unique_for_overwrite<std::byte[]>(bytes);
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
    void has_moved() noexcept override {
      unwanted.reset();
      has_come = true;
      if (to.asked != nullptr) remote_access::payload_has_come(to);
    }

    open_answer to;
    std::unique_ptr<std::byte[]> unwanted;
    bool has_come = false;
  };

  std::list<arriving> all_;  // stays where it is while it comes
};

}  // namespace pure::core
