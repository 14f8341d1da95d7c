// The file of a job's memory, in a process of the job, which maps more of it when it first has something for another
// process: also where the program has closed the descriptor meanwhile. By the holder of the network lock.
#pragma once

#include <string>

#include "base/guarded_descriptor.hpp"

namespace pure::net_shm {

class segment_file {
 public:
  segment_file() = default;
  /// `text`: of job_segment, by which it is opened once more.
  segment_file(core::owned_descriptor file, std::string text) : file_(std::move(file)), text_(std::move(text)) {}

  /// Throws pure::Error (state) if the program has closed it, and it cannot be opened once more.
  [[nodiscard]] int number();

 private:
  core::guarded_descriptor file_;
  std::string text_;
};

}  // namespace pure::net_shm
