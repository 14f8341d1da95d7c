// What other processes ask for and could not be done when it came, because somebody holds a stripe, or a payload is on
// its way (part_payloads.hpp): it is tried again at each poll. Each process's operations are done in the order of its
// sending, so whatever it sends afterwards waits behind. Those of one process wait for nobody else's.
//
// By the holder of the network lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "window/part_payloads.hpp"

namespace pure::core {

/// How far an operation has come that stops at a stripe: with its first bytes.
struct partly_done {
  std::size_t bytes = 0;
  std::vector<std::byte> before;          // what was there, of all of them
  std::unique_ptr<kept_payload> payload;  // of a large put that has to wait
};

class operations_in_turn {
 public:
  /// Something of that process waits: so what comes now does, too.
  [[nodiscard]] bool is_waiting(int process) const noexcept { return of_.find(process) != of_.end(); }
  [[nodiscard]] bool empty() const noexcept { return of_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t count = 0;
    for (const auto& [process, waiting] : of_) count += waiting.size();
    return count;
  }

  /// The next of that process. `so_far`: of the first one.
  void keep(int process, std::span<const std::byte> message, partly_done so_far = {}) {
    of_[process].push_back({{reinterpret_cast<const char*>(message.data()), message.size()}, std::move(so_far)});
  }

  /// Tries each process's, in turn: try_again(process, message, partly_done&), which says whether it is done. Then that
  /// message is forgotten, and the next one is tried.
  template <class TryAgain>
  void resume(TryAgain try_again) {
    for (auto each = of_.begin(); each != of_.end();) {
      auto& [process, waiting] = *each;
      while (!waiting.empty()) {
        kept& first = waiting.front();
        if (!try_again(process, std::as_bytes(std::span(first.message)), first.so_far)) break;
        waiting.pop_front();
      }
      each = waiting.empty() ? of_.erase(each) : std::next(each);
    }
  }

 private:
  struct kept {
    std::string message;
    partly_done so_far;
  };

  std::unordered_map<int, std::deque<kept>> of_;  // by process; none that is empty
};

}  // namespace pure::core
