#include "loader/program_model.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/tracer.hpp"
#include "loader/debuggers.hpp"
#include "loader/linker_list.hpp"
#include "loader/model_binder.hpp"
#include "loader/thread_block.hpp"

namespace pure::core {

namespace {

/// A shared library that is there already.
const link_map* shared_map(const std::string& name) noexcept {
  return static_cast<const link_map*>(dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD));  // stays open
}

/// An allocator, say: it was loaded by its path, and may have no name by which it would be found again.
bool is_preload(const program_closure& closure, const program_object& object) noexcept {
  return std::find(closure.preloads.begin(), closure.preloads.end(), object.path) != closure.preloads.end();
}

link_map* map_of_copy(const opened_copy& copy) noexcept { return static_cast<link_map*>(copy.get()); }

/// As the dynamic linker does, which looks at the file itself.
std::string canonical_path(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path canonical = std::filesystem::canonical(path, ignored);
  return ignored ? path : canonical.string();
}

bool changes_its_text(const loadable_object& file) noexcept {
  return file.value(DT_TEXTREL).has_value() || (file.value(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0;
}

}  // namespace

void close_copy::operator()(void* handle) const noexcept { dlclose(handle); }

program_model::program_model(const program_closure& program, const replaced_functions& replaced)
    : replaced_(replaced),
      executable_((add(program, {}, program_), objects_.front())),
      thread_block_bytes_(bytes_of_thread_block(executable_.file.segment(PT_TLS))) {}

const model_group& program_model::plug_in(const program_closure& closure, const std::vector<scope_object>& global,
                                          bool has_own_first) {
  const std::lock_guard lock(adding_);
  const std::string path = canonical_path(closure.objects.front().path);
  if (const auto found = plug_ins_.find(path); found != plug_ins_.end()) return *found->second;
  auto group = std::make_unique<model_group>();
  add(closure, global, *group, has_own_first);
  return *(plug_ins_[path] = std::move(group));
}

std::vector<const char*> program_model::names_of_images() {
  const std::lock_guard lock(adding_);
  std::vector<const char*> names;
  for (const model_object& each : objects_) names.push_back(each.listed_path().c_str());
  return names;
}

int program_model::number_of(const std::string& path) const {
  const auto found = by_path_.find(canonical_path(path));
  return found == by_path_.end() ? no_object : found->second;
}

void program_model::add(const program_closure& closure, const std::vector<scope_object>& global, model_group& group,
                        bool has_own_first) {
  const int first = size();
  opened_copy opened;
  try {
    add_objects(closure, first);
    for (int number = first; number < size(); ++number) {
      write_copy(objects_[static_cast<std::size_t>(number)], closure,
                 number == first && first != 0 ? objects_.front().copy.path() : "");
    }
    if (first < size()) load_copies(first, opened);
    note_copies(first);
    group.scope = scope_of(closure);
    std::vector<scope_object> scope = global;
    scope.insert(has_own_first ? scope.begin() : scope.end(), group.scope.begin(), group.scope.end());
    for (int number = first; number < size(); ++number)
      objects_[static_cast<std::size_t>(number)].has_own_first = has_own_first;
    const model_binder binder(objects_, replaced_);
    for (int number = first; number < size(); ++number) binder.bind(objects_[static_cast<std::size_t>(number)], scope);
    group.constructors = in_order_of_constructors(number_of(closure.objects.front().path));
    group.also_used = others_used_from(first);
  } catch (...) {
    opened.reset();
    forget(first);
    throw;
  }
  rename_copies(first);
  (void)opened.release();  // for ever
}

void program_model::add_objects(const program_closure& closure, int first) {
  for (const program_object& each : closure.objects) {
    if (!each.is_private || number_of(each.path) != no_object) continue;
    objects_.emplace_back(size(), each.path).is_plug_in = first != 0;
    by_path_.emplace(canonical_path(each.path), size() - 1);
  }
  for (const program_object& each : closure.objects) {
    const int number = each.is_private ? number_of(each.path) : no_object;
    if (number < first || !objects_[static_cast<std::size_t>(number)].needs.empty()) continue;
    model_object& object = objects_[static_cast<std::size_t>(number)];
    for (const std::size_t other : each.needs) {
      const program_object& needed = closure.objects[other];
      object.needs.push_back(needed.is_private ? number_of(needed.path) : no_object);
    }
  }
}

/// Nobody uses the objects from that number on, which are made anew if they are asked for once more. Their copies stay
/// open: the dynamic linker may know these, and would take others of the same names for them.
void program_model::forget(int first) noexcept {
  std::erase_if(by_path_, [&](const auto& each) { return each.second >= first; });
  for (int number = first; number < size(); ++number) objects_[static_cast<std::size_t>(number)].is_loaded = false;
}

void program_model::write_copy(model_object& object, const program_closure& closure, const std::string& also_needed) {
  if (changes_its_text(object.file))
    refuse_private(object, "its text has to be changed where it lies (text relocations; compile it with -fPIC)");
  std::unordered_map<std::string_view, std::string> path_by_name;
  std::size_t next = 0;
  for (const Elf64_Dyn& each : object.file.dynamic())
    if (each.d_tag == DT_NEEDED && next < object.needs.size())
      path_by_name.emplace(object.file.text_at(each.d_un.d_val), path_of_need(closure, object, next++));
  const auto renamed = [&](std::string_view name) -> std::string {
    const auto found = path_by_name.find(name);
    return found == path_by_name.end() ? "" : found->second;
  };
  write_model(object.copy, object.file, object.number == 0, renamed, also_needed,
              [&](const Elf64_Rela& each) { return names_thread_local_of_program(objects_.front(), object, each); });
}

std::string program_model::path_of_need(const program_closure& closure, const model_object& object,
                                        std::size_t entry) const {
  if (object.needs[entry] != no_object) return objects_[static_cast<std::size_t>(object.needs[entry])].copy.path();
  const auto its = std::find_if(closure.objects.begin(), closure.objects.end(),
                                [&](const program_object& each) { return each.path == object.file.path(); });
  if (its == closure.objects.end()) return {};
  const program_object& needed = closure.objects[its->needs[entry]];
  return is_preload(closure, needed) ? needed.path : "";
}

/// The copy of the first one is loaded, and all that it needs. A file of theirs that comes along as well is one that
/// something shared needs: there would be two of it.
void program_model::load_copies(int first, opened_copy& opened) const {
  const model_object& object = objects_[static_cast<std::size_t>(first)];
  const linker_list list;
  const auto before = list.objects();
  opened.reset(dlopen(object.copy.path().c_str(), RTLD_NOW | RTLD_LOCAL));
  if (opened == nullptr) {
    const char* const why = dlerror();
    refuse_private(object, fmt::format("the dynamic linker says: {}", why == nullptr ? "nothing" : why));
  }
  for (const auto& each : list.objects()) {
    if (before.count(each) != 0) continue;
    if (const int number = number_of(each.second); number != no_object)
      refuse_private(objects_[static_cast<std::size_t>(number)], "something loads it under another name as well");
  }
}

void program_model::note_copies(int first) {
  const bool is_seen = is_traced();
  for (int number = first; number < size(); ++number) {
    model_object& object = objects_[static_cast<std::size_t>(number)];
    const opened_copy again(dlopen(object.copy.path().c_str(), RTLD_LAZY | RTLD_NOLOAD));
    if (again == nullptr) refuse_private(object, "the dynamic linker has not loaded its copy");
    object.base = map_of_copy(again)->l_addr, object.is_loaded = true;
    if (number != 0 && object.file.segment(PT_TLS) != nullptr)
      dlinfo(again.get(), RTLD_DI_TLS_MODID, &object.thread_module);
    if (is_seen && has_symbols_for_debuggers(object.file)) {
      object.for_debuggers = std::make_unique<object_copy>(object.file);
      write_for_debuggers(*object.for_debuggers, object.file);
    }
  }
}

/// Debuggers pass over what has no name: no breakpoint is put where no rank runs, and no variable is taken from there.
void program_model::rename_copies(int first) const noexcept {
  static char no_name[] = "";
  for (int number = first; number < size(); ++number) {
    const model_object& object = objects_[static_cast<std::size_t>(number)];
    const opened_copy again(dlopen(object.copy.path().c_str(), RTLD_LAZY | RTLD_NOLOAD));
    if (again != nullptr) map_of_copy(again)->l_name = no_name;
  }
}

std::vector<scope_object> program_model::scope_of(const program_closure& closure) const {
  std::vector<scope_object> scope;
  for (const program_object& each : closure.objects) {
    if (each.is_private) {
      scope.push_back({.number = number_of(each.path), .shared = nullptr});
    } else if (const link_map* const map = shared_map(is_preload(closure, each) ? each.path : each.name)) {
      scope.push_back({.number = no_object, .shared = map});
    }
  }
  return scope;
}

/// What an object needs comes before it, as far as circles allow.
std::vector<const model_object*> program_model::in_order_of_constructors(int root) const {
  std::vector<const model_object*> order;
  std::vector<bool> seen(objects_.size(), false);
  const std::function<void(int)> visit = [&](int number) {
    seen[static_cast<std::size_t>(number)] = true;
    const model_object& object = objects_[static_cast<std::size_t>(number)];
    for (const int other : object.needs)
      if (other != no_object && !seen[static_cast<std::size_t>(other)]) visit(other);
    order.push_back(&object);
  };
  std::vector<int> breadth_first{root};
  for (std::size_t next = 0; next < breadth_first.size(); ++next) {
    for (const int other : objects_[static_cast<std::size_t>(breadth_first[next])].needs) {
      const bool is_new = std::find(breadth_first.begin(), breadth_first.end(), other) == breadth_first.end();
      if (other != no_object && is_new) breadth_first.push_back(other);
    }
  }
  // As the dynamic linker has it: of those that do not need each other, the last one first.
  for (auto each = breadth_first.rbegin(); each != breadth_first.rend(); ++each)
    if (!seen[static_cast<std::size_t>(*each)]) visit(*each);
  return order;
}

/// Objects that were there before and have unique symbols of the new ones, with what they need in turn.
std::vector<const model_object*> program_model::others_used_from(int first) const {
  std::vector<const model_object*> used;
  const std::function<void(int)> use = [&](int number) {
    if (number == no_object || number >= first) return;
    const model_object& object = objects_[static_cast<std::size_t>(number)];
    if (std::find(used.begin(), used.end(), &object) != used.end()) return;
    used.push_back(&object);
    for (const int each : object.needs) use(each);
    for (const int each : object.unique_in) use(each);
  };
  for (int number = first; number < size(); ++number)
    for (const int each : objects_[static_cast<std::size_t>(number)].unique_in) use(each);
  return used;
}

}  // namespace pure::core
