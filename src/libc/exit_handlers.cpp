#include "libc/exit_handlers.hpp"

#include <algorithm>

namespace pure::core {

void exit_handlers::add_to(exit_handlers& all, std::vector<handler>& list, const handler& next) {
  const std::lock_guard lock(all.changing_);
  list.push_back(next);
}

void exit_handlers::add(with_argument function, void* argument, void* object) {
  add_to(*this, at_exit_,
         {.function = function, .function_with_status = nullptr, .argument = argument, .object = object});
}

void exit_handlers::add_with_status(with_status function, void* argument) {
  add_to(*this, at_exit_,
         {.function = nullptr, .function_with_status = function, .argument = argument, .object = nullptr});
}

void exit_handlers::add_quick(with_argument function, void* object) {
  add_to(*this, quick_, {.function = function, .function_with_status = nullptr, .argument = nullptr, .object = object});
}

void exit_handlers::add_of_thread(with_argument function, void* object, void* shared_object) {
  add_to(*this, of_thread_,
         {.function = function, .function_with_status = nullptr, .argument = object, .object = shared_object});
}

void exit_handlers::begin_of_other_thread(void* shared_object) {
  const std::lock_guard lock(changing_);
  of_other_threads_.push_back(shared_object);
}

void exit_handlers::end_of_other_thread(void* shared_object) {
  const std::lock_guard lock(changing_);
  const auto found = std::find(of_other_threads_.begin(), of_other_threads_.end(), shared_object);
  if (found != of_other_threads_.end()) of_other_threads_.erase(found);
}

bool exit_handlers::has_of_threads(std::uint64_t begin, std::uint64_t end) {
  const std::lock_guard lock(changing_);
  const auto is_inside = [&](const void* address) {
    const auto at = reinterpret_cast<std::uint64_t>(address);
    return at >= begin && at < end;
  };
  return std::any_of(of_thread_.begin(), of_thread_.end(), [&](auto& each) { return is_inside(each.object); }) ||
         std::any_of(of_other_threads_.begin(), of_other_threads_.end(), is_inside);
}

bool exit_handlers::take(std::vector<handler>& list, handler& last) {
  const std::lock_guard lock(changing_);
  if (list.empty()) return false;
  last = list.back();
  list.pop_back();
  return true;
}

void exit_handlers::run_of_thread() {
  handler next;
  while (take(of_thread_, next)) next.function(next.argument);
}

void exit_handlers::run(int status, bool is_own_thread) {
  if (is_own_thread) run_of_thread();
  handler next;
  while (take(at_exit_, next)) {
    if (next.function != nullptr) {
      next.function(next.argument);
    } else {
      next.function_with_status(status, next.argument);
    }
  }
}

void exit_handlers::run_quick() {
  handler next;
  while (take(quick_, next)) next.function(next.argument);
}

void exit_handlers::run_of(void* object) {
  for (;;) {
    handler next;
    {
      const std::lock_guard lock(changing_);
      const auto last = std::find_if(at_exit_.rbegin(), at_exit_.rend(), [&](const handler& each) {
        return each.function != nullptr && (object == nullptr || each.object == object);
      });
      if (last == at_exit_.rend()) return;
      next = *last;
      at_exit_.erase(std::next(last).base());
    }
    next.function(next.argument);
  }
}

}  // namespace pure::core
