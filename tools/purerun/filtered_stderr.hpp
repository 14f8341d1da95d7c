// The stderr of a child that reaches purerun's own through a filter, on a thread of its own.
#pragma once

#include <thread>

#include "purerun/launcher_boxes.hpp"

namespace purerun {

class filtered_stderr {
 public:
  /// Throws std::system_error if there can be no pipe.
  explicit filtered_stderr(box_filter filter);
  filtered_stderr(const filtered_stderr&) = delete;
  filtered_stderr& operator=(const filtered_stderr&) = delete;
  ~filtered_stderr();

  /// What the child is to have as its stderr.
  [[nodiscard]] int for_child() const noexcept { return child_end_; }
  /// The child is there, and has it. The thread handles no signal that is blocked now.
  void begin();
  /// The child has ended: what it has written is shown. Others that have its stderr may write on, to nobody.
  void end();

 private:
  void run();

  box_filter filter_;
  int own_end_ = -1, child_end_ = -1;
  int stop_ = -1, told_to_stop_ = -1;  // a pipe: the thread has the first end, and sees that the other is closed
  std::thread thread_;
};

}  // namespace purerun
