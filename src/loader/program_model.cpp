#include "loader/program_model.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/environment.hpp"
#include "base/tracer.hpp"
#include "loader/debuggers.hpp"
#include "loader/dynamic_linker.hpp"
#include "loader/linker_list.hpp"
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

const link_map* shared_object(const program_closure& closure, const program_object& object) noexcept {
  return shared_map(is_preload(closure, object) ? object.path : object.name);
}

bool is_same_path(const std::string& one, const std::string& other) {
  std::error_code ignored;
  return one == other || (!other.empty() && std::filesystem::equivalent(one, other, ignored));
}

// What becomes of an object of a closure, if it is not one that the rank has or that ranks share (no_object).
constexpr int place_of_new = -2, place_of_none = -3;

/// As the dynamic linker comes by the objects: what the rank has is not looked into.
std::vector<int> places_of(const program_closure& closure, const opening_rank& by) {
  std::vector<int> places(closure.objects.size(), place_of_none);
  std::vector<std::size_t> next{0};
  places.front() = place_of_new;
  for (std::size_t at = 0; at < next.size(); ++at) {
    for (const std::size_t other : closure.objects[next[at]].needs) {
      if (places[other] != place_of_none) continue;
      const program_object& object = closure.objects[other];
      places[other] = object.is_private ? by.number_of(object) : no_object;
      if (!object.is_private || places[other] != no_object) continue;
      places[other] = place_of_new;
      next.push_back(other);
    }
  }
  return places;
}

/// All on which it depends to what the library is bound: which files are new, as they are now, what is found instead of
/// others, where names are looked for, and where unique symbols are. A key may last longer than objects of which it
/// tells, whose numbers others have then: so it has their serials.
std::vector<std::uint64_t> key_of(const program_closure& closure, const std::vector<int>& places,
                                  const opening_rank& by, const object_table& objects) {
  std::vector<std::uint64_t> key{by.has_own_first ? 1U : 0U, by.is_lazy ? 1U : 0U};
  const auto put = [&](auto value) { key.push_back(static_cast<std::uint64_t>(value)); };
  const auto put_object = [&](int number) {  // a negative one is a place_of_..., or no_object
    put(number < 0);
    put(number < 0 ? static_cast<std::uint64_t>(-number) : objects[static_cast<std::size_t>(number)]->serial);
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    put_object(places[i]);
    if (places[i] != place_of_new) continue;
    struct stat file {};
    if (stat(closure.objects[i].path.c_str(), &file) != 0) continue;  // it is refused when it is opened
    put(file.st_dev), put(file.st_ino), put(file.st_size);
    for (const timespec& each : {file.st_mtim, file.st_ctim}) put(each.tv_sec), put(each.tv_nsec);
    put(closure.objects[i].needs.size());
    for (const std::size_t other : closure.objects[i].needs) put(other);
  }
  put(by.global.size());
  for (const scope_object& each : by.global)
    put_object(each.number), put(reinterpret_cast<std::uintptr_t>(each.shared));
  for (const model_object* const each : by.loaded)
    if (each->has_unique) put(each->serial);
  return key;
}

bool wants_all_at_once(const loadable_object& file) noexcept {
  return file.value(DT_BIND_NOW).has_value() || (file.value(DT_FLAGS).value_or(0) & DF_BIND_NOW) != 0 ||
         (file.value(DT_FLAGS_1).value_or(0) & DF_1_NOW) != 0;
}

bool changes_its_text(const loadable_object& file) noexcept {
  return file.value(DT_TEXTREL).has_value() || (file.value(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0;
}

}  // namespace

void close_copy::operator()(void* handle) const noexcept { dlclose(handle); }

program_model::program_model(const program_closure& program, const replaced_functions& replaced)
    : replaced_(replaced),
      program_([&]() -> const model_group& {
        bindings_.push_back(std::make_unique<binding>());
        std::vector<int> places;
        for (const program_object& each : program.objects) places.push_back(each.is_private ? place_of_new : no_object);
        const char* const at_once = environment_variable("LD_BIND_NOW");
        add(program, places, {.is_lazy = at_once == nullptr || *at_once == '\0'}, *bindings_.back());
        return bindings_.back()->group;
      }()),
      executable_(*objects_.front()),
      thread_block_bytes_(bytes_of_thread_block(executable_.file.segment(PT_TLS))) {}

model_group program_model::plug_in(const program_closure& closure, const opening_rank& by) {
  const std::lock_guard lock(adding_);
  std::vector<int> places = places_of(closure, by);
  std::vector<std::uint64_t> key = key_of(closure, places, by, objects_);
  auto found = std::find_if(bindings_.begin(), bindings_.end(), [&](const std::unique_ptr<binding>& each) {
    return each->key == key && each->left.count(by.rank) == 0;
  });
  if (found == bindings_.end()) {
    auto made = std::make_unique<binding>();
    add(closure, places, by, *made);
    made->key = std::move(key);
    found = bindings_.insert(bindings_.end(), std::move(made));
  }
  (*found)->images += (*found)->objects.size();
  return (*found)->group;
}

model_group program_model::group_of(int root) {
  const std::lock_guard lock(adding_);
  return {.scope = scope_from(root), .constructors = in_order_of_constructors(root)};
}

void program_model::leave(const model_object& object, const void* rank) noexcept {
  const std::lock_guard lock(adding_);
  const auto its = std::find_if(bindings_.begin() + 1, bindings_.end(), [&](const std::unique_ptr<binding>& each) {
    return std::find(each->objects.begin(), each->objects.end(), object.number) != each->objects.end();
  });
  if (its == bindings_.end()) return;  // of the program, which stays
  if (object.thread_module != 0) (*its)->left.insert(rank);
  if (--(*its)->images != 0) return;
  forget(**its);
  bindings_.erase(its);
}

void program_model::add_open_accounts(open_accounts& to) {
  const std::lock_guard lock(adding_);
  std::size_t objects = 0;
  for (const auto& each : bindings_) objects += each == bindings_.front() ? 0 : each->objects.size();
  to.add("objects of libraries that are closed", objects);
}

std::vector<std::string> program_model::names_of_images() {
  const std::lock_guard lock(adding_);
  std::vector<std::string> names;
  for (const auto& each : objects_)
    if (each != nullptr) names.push_back(each->listed_path());
  return names;
}

void program_model::add(const program_closure& closure, std::vector<int>& places, const opening_rank& by,
                        binding& into) {
  const bool is_program = bindings_.size() == 1 && bindings_.front().get() == &into;
  try {
    add_objects(closure, places, into);
    const int root = into.objects.front();
    for (const int number : into.objects)
      write_copy(at(number), closure, number == root && !is_program ? objects_.front()->copy.unique_path() : "");
    load_copies(closure, into);
    note_copies(closure, places, into);
    if (is_program) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        const link_map* const shared = places[i] == no_object ? shared_object(closure, closure.objects[i]) : nullptr;
        if (places[i] != no_object || shared != nullptr) into.group.scope.push_back({places[i], shared});
      }
    } else {
      into.group.scope = scope_from(root);
    }
    std::vector<scope_object> scope = by.global;
    scope.insert(by.has_own_first ? scope.begin() : scope.end(), into.group.scope.begin(), into.group.scope.end());
    std::vector<const model_object*> in_order = by.loaded;
    for (const int number : into.objects) {
      at(number).has_own_first = by.has_own_first;
      at(number).is_lazy = by.is_lazy && !wants_all_at_once(at(number).file);
      in_order.push_back(&at(number));
    }
    const model_binder binder(objects_, replaced_, in_order);
    for (const int number : into.objects) binder.bind(at(number), scope);
    into.group.constructors = in_order_of_constructors(root);
  } catch (...) {
    forget(into);
    throw;
  }
  rename_copies(into);
}

int program_model::add_object(const program_object& its, bool is_plug_in) {
  const auto free = std::find(objects_.begin(), objects_.end(), nullptr);
  const auto number = static_cast<int>(free - objects_.begin());
  auto made = std::make_unique<model_object>(number, its.path, its.name);
  made->serial = ++last_serial_;
  made->is_plug_in = is_plug_in;
  if (free == objects_.end()) {
    objects_.push_back(std::move(made));
  } else {
    *free = std::move(made);
  }
  return number;
}

void program_model::add_objects(const program_closure& closure, std::vector<int>& places, binding& into) {
  const bool is_plug_in = bindings_.front().get() != &into;
  std::vector<std::size_t> added;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != place_of_new) continue;
    places[i] = add_object(closure.objects[i], is_plug_in);
    into.objects.push_back(places[i]);
    added.push_back(i);
  }
  for (const std::size_t i : added)
    for (const std::size_t other : closure.objects[i].needs)
      at(places[i]).needs.push_back({.number = places[other], .shared = nullptr});
}

/// Nobody has an image of one of its objects.
void program_model::forget(binding& refused) noexcept {
  {
    const linker_list changing;
    for (const int number : refused.objects) {
      const model_object& object = at(number);
      if (object.map_of_copy != nullptr && object.name_of_copy != nullptr)
        object.map_of_copy->l_name = object.name_of_copy;  // which the dynamic linker frees
    }
    refused.opened.reset();
  }
  for (const int number : refused.objects) objects_[static_cast<std::size_t>(number)].reset();
  refused.objects.clear();
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
              [&](const Elf64_Rela& each) { return names_thread_local_of_program(*objects_.front(), object, each); });
}

std::string program_model::path_of_need(const program_closure& closure, const model_object& object,
                                        std::size_t entry) const {
  if (const int number = object.needs[entry].number; number != no_object) return at(number).copy.unique_path();
  const auto its = std::find_if(closure.objects.begin(), closure.objects.end(),
                                [&](const program_object& each) { return each.path == object.file.path(); });
  if (its == closure.objects.end()) return {};
  const program_object& needed = closure.objects[its->needs[entry]];
  return is_preload(closure, needed) ? needed.path : "";
}

/// The copy of the first one is loaded, and all that it needs. A file of theirs that comes along as well is one that
/// something shared needs: there would be two of it. Of libstdc++ there may be two, as Pure has one for all ranks, too:
/// the runtimes of sanitizers need it.
void program_model::load_copies(const program_closure& closure, binding& into) const {
  const model_object& object = at(into.objects.front());
  const linker_list list;
  const auto before = list.objects();
  into.opened.reset(dlopen(object.copy.unique_path().c_str(), RTLD_NOW | RTLD_LOCAL));
  if (into.opened == nullptr) {
    refuse_private(object, "the dynamic linker says: " + explained_by_linker(dlerror()));
  }
  for (const auto& each : list.objects()) {
    if (before.count(each) != 0) continue;
    for (const program_object& own : closure.objects)
      if (own.is_private && own.path.find("/libstdc++.so") == std::string::npos && is_same_path(own.path, each.second))
        refuse_private(object, fmt::format("something loads {} under another name as well", own.path));
  }
}

void program_model::note_copies(const program_closure& closure, const std::vector<int>& places, const binding& into) {
  const bool is_seen = is_traced();
  for (const int number : into.objects) {
    model_object& object = at(number);
    const opened_copy again(dlopen(object.copy.unique_path().c_str(), RTLD_LAZY | RTLD_NOLOAD));
    if (again == nullptr) refuse_private(object, "the dynamic linker has not loaded its copy");
    object.map_of_copy = static_cast<link_map*>(again.get());
    object.base = object.map_of_copy->l_addr, object.is_loaded = true;
    if (number != 0 && object.file.segment(PT_TLS) != nullptr)
      dlinfo(again.get(), RTLD_DI_TLS_MODID, &object.thread_module);
    if (is_seen && has_symbols_for_debuggers(object.file)) {
      object.for_debuggers = std::make_unique<object_copy>(object.file);
      write_for_debuggers(*object.for_debuggers, object.file);
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (std::find(into.objects.begin(), into.objects.end(), places[i]) == into.objects.end()) continue;
    model_object& object = at(places[i]);
    for (std::size_t entry = 0; entry < object.needs.size(); ++entry)
      if (object.needs[entry].number == no_object)
        object.needs[entry].shared = shared_object(closure, closure.objects[closure.objects[i].needs[entry]]);
  }
}

/// Debuggers pass over what has no name: no breakpoint is put where no rank runs, and no variable is taken from there.
void program_model::rename_copies(const binding& into) const noexcept {
  static char no_name[] = "";
  const linker_list changing;
  for (const int number : into.objects) {
    model_object& object = at(number);
    object.name_of_copy = std::exchange(object.map_of_copy->l_name, no_name);
  }
}

/// The object and all that it needs, breadth first.
std::vector<scope_object> program_model::scope_from(int root) const {
  std::vector<scope_object> scope{{.number = root, .shared = nullptr}};
  for (std::size_t next = 0; next < scope.size(); ++next) {
    if (scope[next].number == no_object) continue;
    for (const scope_object& each : at(scope[next].number).needs) {
      const bool is_there = each.number != no_object || each.shared != nullptr;
      if (is_there && std::find(scope.begin(), scope.end(), each) == scope.end()) scope.push_back(each);
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
    const model_object& object = at(number);
    for (const auto& [other, shared] : object.needs)
      if (other != no_object && !seen[static_cast<std::size_t>(other)]) visit(other);
    order.push_back(&object);
  };
  std::vector<int> breadth_first{root};
  for (std::size_t next = 0; next < breadth_first.size(); ++next) {
    for (const auto& [other, shared] : at(breadth_first[next]).needs) {
      const bool is_met = std::find(breadth_first.begin(), breadth_first.end(), other) != breadth_first.end();
      if (other != no_object && !is_met) breadth_first.push_back(other);
    }
  }
  // As the dynamic linker has it: of those that do not need each other, the last one first.
  for (auto each = breadth_first.rbegin(); each != breadth_first.rend(); ++each)
    if (!seen[static_cast<std::size_t>(*each)]) visit(*each);
  return order;
}

}  // namespace pure::core
