#include "net_shm/segment_file.hpp"

#include <utility>

#include <pure/error.hpp>

#include "base/passed_file.hpp"

namespace pure::net_shm {

int segment_file::number() {
  if (const int number = file_.number(); number >= 0) [[likely]]
    return number;
  file_ = {};  // first: the same file may get the same number, and would be closed as the old one
  file_ = core::guarded_descriptor(core::open_passed(text_.c_str()));
  if (const int number = file_.number(); number >= 0) return number;
  throw Error(
      errc::state,
      "the program has closed the descriptor of the memory that the processes of the job share, and it cannot be "
      "opened once more: close what you have opened, and not all descriptors, or exchange a message with each "
      "process before");
}

}  // namespace pure::net_shm
