// Why a program cannot be loaded for each rank: in a form for people, and in pieces for those who say more.
#pragma once

#include <stdexcept>
#include <string>

namespace pure::core {

class loader_refusal : public std::runtime_error {
 public:
  /// `reason` goes on after "since": "it is not position independent". `remedy` says what
  /// to do, without a full stop, or is empty.
  loader_refusal(const std::string& path, std::string reason, std::string remedy);
  /// The same for what cannot be started in any way: its libraries are not all there, it is damaged.
  static loader_refusal for_all(const std::string& path, std::string reason);

  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }
  /// As processes its ranks could not run either.
  [[nodiscard]] bool is_for_all() const noexcept { return is_for_all_; }

 private:
  loader_refusal(const std::string& text, std::string reason, std::string remedy, bool is_for_all);

  std::string reason_, remedy_;
  bool is_for_all_ = false;
};

}  // namespace pure::core
