// Stripes that the thread holds which does what other processes ask for. It is no rank that could wait: whoever holds a
// stripe only computes, and waits for nothing meanwhile, so it ends soon.
#pragma once

#include "runtime/job.hpp"
#include "runtime/wait.hpp"
#include "window/stripe.hpp"
#include "window/window_group.hpp"

namespace pure::core {

class held_stripes {
 public:
  held_stripes(window_group& of, const element_stripes& its, const job& running) noexcept : of_(of), its_(its) {
    for (unsigned tries = 0; !try_lock() && !running.ending(); ++tries) let_holder_run(tries);
  }
  held_stripes(const held_stripes&) = delete;
  held_stripes& operator=(const held_stripes&) = delete;
  ~held_stripes() {
    if (is_mine_ && its_.unlock()) of_.wake_all();
  }
  [[nodiscard]] bool is_mine() const noexcept { return is_mine_; }

 private:
  bool try_lock() noexcept {
    const element_stripes::outcome how = its_.try_lock();
    if (how == element_stripes::outcome::vain_and_wake) of_.wake_all();
    return is_mine_ = how == element_stripes::outcome::locked;
  }

  window_group& of_;
  element_stripes its_;
  bool is_mine_ = false;
};

}  // namespace pure::core
