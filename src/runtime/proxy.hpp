// A proxy: who is notified in place of the ranks of another process (DESIGN D5). One for each such process.
//
// It never runs: its parking word is constant. Any thread notifies it.
#pragma once

#include "runtime/notified.hpp"

namespace pure::core {

/// Who gets the notifications of ranks that are in other processes.
class doorbell {
 public:
  /// By the thread that notifies: something for ranks of `process`, or from them, has changed.
  virtual void ring_for(int process) noexcept = 0;

 protected:
  ~doorbell() = default;
};

class proxy final : public notified {
 public:
  proxy(int process, doorbell& bell) noexcept : notified(elsewhere), process_(process), bell_(bell) {}

 private:
  void wake() noexcept override { bell_.ring_for(process_); }

  const int process_;
  doorbell& bell_;
};

}  // namespace pure::core
