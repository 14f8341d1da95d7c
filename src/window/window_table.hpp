// The windows that one rank has, by the handles that programs hold. Own thread of the rank only.
#pragma once

#include <cstdint>
#include <memory>

#include "match/handle_table.hpp"
#include "runtime/rank.hpp"
#include "runtime/rank_service.hpp"
#include "window/process_windows.hpp"
#include "window/window.hpp"

namespace pure::core {

class window_table final : public rank_service<window_table, 4> {
 public:
  explicit window_table(const rank_context& owner);

  /// Null if there is no window of that handle.
  [[nodiscard]] window* find(std::uint64_t name) noexcept {
    if (last_ != nullptr && last_->handle() == name) [[likely]]
      return last_;
    const core::handle key{name};
    if (key.kind() != handle_kind::window || key.rank() != static_cast<std::uint32_t>(owner_.number())) return nullptr;
    const std::unique_ptr<window>* const entry = made_.find(key);
    return entry == nullptr ? nullptr : last_ = entry->get();
  }
  /// Takes one of the references of `shared`, whatever happens.
  window& add(communicator& on, window_group& shared, bool needs_epochs);
  void remove(const window& unused) noexcept {
    if (last_ == &unused) last_ = nullptr;
    made_.free({unused.handle()});
  }

  /// Of a job of several processes.
  [[nodiscard]] process_windows& of_all_processes() const noexcept { return *spanning_; }
  /// The same, for who looks at it when the ranks have ended. Null: all ranks are in this process.
  [[nodiscard]] const std::shared_ptr<process_windows>& shared_of_all_processes() const noexcept { return spanning_; }

  [[nodiscard]] bool advances() const noexcept override { return false; }
  /// Parts that lie in memory of the program are taken back.
  bool end_main() noexcept override;
  /// Windows that the program has not freed.
  void add_leftovers(leftovers& to) override;

 private:
  std::shared_ptr<process_windows> spanning_;  // that of the process; lasts longer than its windows
  handle_table<std::unique_ptr<window>> made_;
  const rank_context& owner_;
  window* last_ = nullptr;  // that was found: mostly the next one, too
};

}  // namespace pure::core
