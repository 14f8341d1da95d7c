#include "base/guarded_descriptor.hpp"

#include <sys/stat.h>

namespace pure::core {

guarded_descriptor::guarded_descriptor(owned_descriptor file) noexcept : file_(std::move(file)) {
  struct stat its {};
  if (fstat(file_.number(), &its) != 0) return;
  device_ = its.st_dev;
  inode_ = its.st_ino;
}

guarded_descriptor::~guarded_descriptor() {
  if (number() < 0) static_cast<void>(file_.release());
}

int guarded_descriptor::number() const noexcept {
  struct stat now {};
  const bool is_there = file_.is_open() && fstat(file_.number(), &now) == 0 && now.st_dev == device_ &&
                        now.st_ino == inode_;
  return is_there ? file_.number() : -1;
}

}  // namespace pure::core
