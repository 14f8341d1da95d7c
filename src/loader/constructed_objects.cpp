#include "loader/constructed_objects.hpp"

#include <algorithm>

namespace pure::core {

void constructed_objects::run(int object, std::int64_t array, std::int64_t size, char** environment,
                              bool is_backwards) const {
  const loadable_object& file = images_.object(object).file;
  const auto where = file.value(array), bytes = file.value(size);
  if (!where || !bytes) return;
  using function = void (*)(int, char**, char**);
  const auto* const functions = reinterpret_cast<const function*>(images_.base_of(object) + *where);
  const std::size_t number = *bytes / sizeof(function);
  for (std::size_t i = 0; i < number; ++i)
    functions[is_backwards ? number - 1 - i : i](argument_count_, arguments_, environment);
}

void constructed_objects::construct_before_libraries(char** environment) const {
  run(0, DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ, environment, false);
}

void constructed_objects::construct(int object, char** environment) {
  if (std::find(order_.begin(), order_.end(), object) != order_.end()) return;
  order_.push_back(object);
  using function = void (*)(int, char**, char**);
  if (const auto first = images_.object(object).file.value(DT_INIT))
    reinterpret_cast<function>(images_.base_of(object) + *first)(argument_count_, arguments_, environment);
  run(object, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, environment, false);
}

void constructed_objects::destroy(int object) const {
  run(object, DT_FINI_ARRAY, DT_FINI_ARRAYSZ, nullptr, true);
  if (const auto last = images_.object(object).file.value(DT_FINI))
    reinterpret_cast<void (*)()>(images_.base_of(object) + *last)();
}

void constructed_objects::destroy(const std::vector<int>& objects) {
  const auto is_one = [&](int each) { return std::find(objects.begin(), objects.end(), each) != objects.end(); };
  std::vector<int> due;
  std::copy_if(order_.rbegin(), order_.rend(), std::back_inserter(due), is_one);
  std::erase_if(order_, is_one);
  for (const int each : due) destroy(each);
}

void constructed_objects::destroy_all() {
  while (!order_.empty()) {
    const int last = order_.back();
    order_.pop_back();
    destroy(last);
  }
}

}  // namespace pure::core
