// Whether a rank may make collectives on a communicator, and whether each has to be looked at before it begins
// (coll/refused_calls.hpp). Own thread of the rank only.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace pure::core {

class closed_calls {
 public:
  /// `checks`: PURE_CHECK, under which every call is looked at.
  explicit closed_calls(bool checks) noexcept : needs_a_look_(checks) {}

  /// PURE_CHECK, or closed.
  [[nodiscard]] bool needs_a_look() const noexcept { return needs_a_look_; }
  /// Not null: this rank makes no collectives on the communicator any more, and why.
  [[nodiscard]] const std::string* because() const noexcept { return because_.get(); }
  /// For good. The first reason stays.
  void close(std::string why) {
    if (because_ == nullptr) because_ = std::make_unique<const std::string>(std::move(why));
    needs_a_look_ = true;
  }

 private:
  bool needs_a_look_;
  std::unique_ptr<const std::string> because_;
};

}  // namespace pure::core
