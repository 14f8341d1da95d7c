#include "loader/constructed_objects.hpp"

#include <algorithm>

namespace pure::core {

void constructed_objects::run(const ended& its, std::int64_t array, std::int64_t size, char** environment,
                              bool is_backwards) const {
  const loadable_object& file = its.object->file;
  const auto where = file.value(array), bytes = file.value(size);
  if (!where || !bytes) return;
  using function = void (*)(int, char**, char**);
  const auto* const functions = reinterpret_cast<const function*>(its.base + *where);
  const std::size_t number = *bytes / sizeof(function);
  for (std::size_t i = 0; i < number; ++i)
    functions[is_backwards ? number - 1 - i : i](argument_count_, arguments_, environment);
}

void constructed_objects::construct_before_libraries(char** environment) const {
  run(at(0), DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ, environment, false);
}

void constructed_objects::construct(int object, char** environment) {
  if (std::find(order_.begin(), order_.end(), object) != order_.end()) return;
  order_.push_back(object);
  using function = void (*)(int, char**, char**);
  if (const auto first = images_.object(object).file.value(DT_INIT))
    reinterpret_cast<function>(images_.base_of(object) + *first)(argument_count_, arguments_, environment);
  run(at(object), DT_INIT_ARRAY, DT_INIT_ARRAYSZ, environment, false);
}

void constructed_objects::destroy(const ended& last) const {
  run(last, DT_FINI_ARRAY, DT_FINI_ARRAYSZ, nullptr, true);
  if (const auto function = last.object->file.value(DT_FINI)) reinterpret_cast<void (*)()>(last.base + *function)();
}

void constructed_objects::destroy(const std::vector<int>& objects) {
  const auto is_one = [&](int each) { return std::find(objects.begin(), objects.end(), each) != objects.end(); };
  std::vector<int> due;
  std::copy_if(order_.rbegin(), order_.rend(), std::back_inserter(due), is_one);
  std::erase_if(order_, is_one);
  for (const int each : due) destroy(at(each));
}

constructed_objects::ended constructed_objects::take_latest() {
  if (order_.empty()) return {};
  const ended latest = at(order_.back());
  order_.pop_back();
  return latest;
}

}  // namespace pure::core
