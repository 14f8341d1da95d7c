// The environment is one for the process, and each rank may set it: setenv and its relatives, such that ranks that read
// it at that moment, through getenv or by going through `environ`, see what was there or what is there now.
//
// libc's setenv may free the array that others go through: its programs set nothing while threads read. Programs of one
// thread, each in its rank, know no such rule. So here no array and no string is ever freed, as libc never frees a
// string: a variable that is new takes the next place of an array with room, or a larger array; one that goes, a new
// array. Any thread.
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <forward_list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "loader/hidden_state.hpp"
#include "loader/process_parts.hpp"
#include "loader/shared_things.hpp"

namespace pure::core {

namespace {

constexpr std::string_view removed = "\n";  // a value that is none: differs from any that a variable is set to

/// The array that this file has made, if libc's is that one.
class shared_environment {
 public:
  std::mutex lock;

  /// The entry of that name; null: there is none.
  static char** place_of(std::string_view name) noexcept {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
      if (std::strncmp(*entry, name.data(), name.size()) == 0 && (*entry)[name.size()] == '=') return entry;
    return nullptr;
  }

  void set(std::string_view name, char* entry) {
    if (char** const place = place_of(name)) return publish(*place, entry);
    const std::size_t count = size();
    if (environ != own_ || own_ == nullptr || count + 1 >= room_) use(copy(count, 2 * count + 16), 2 * count + 16);
    publish(own_[count], entry);  // behind it is null already
  }

  void remove(std::string_view name) {
    if (place_of(name) == nullptr) return;
    const std::size_t count = size();
    char** const rest = copy(0, count + 16);
    std::size_t kept = 0;
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (std::strncmp(*entry, name.data(), name.size()) != 0 || (*entry)[name.size()] != '=') rest[kept++] = *entry;
    use(rest, count + 16);
  }

  void use_none() noexcept { use(nullptr, 0); }

  /// The same place for the same text, as in libc: a program that sets a variable to and fro takes no more memory.
  char* kept(std::string text) { return const_cast<char*>(texts_.insert(std::move(text)).first->c_str()); }

  /// Programs may have set their variable `environ` themselves: what one has set is everybody's from now on.
  void take_assigned() noexcept {
    for (const hidden_state* rank = first_hidden_state(); rank != nullptr; rank = rank->next)
      if (is_assigned(*rank)) use(*rank->variables.environment, 0);
  }

  static bool is_assigned(const hidden_state& rank) noexcept {
    char*** const copy = rank.variables.environment;
    return copy != nullptr && read(*copy) != read(rank.known_environment);
  }

  /// The copies that programs have are as libc's.
  static void tell_all() noexcept {
    for (hidden_state* rank = first_hidden_state(); rank != nullptr; rank = rank->next) {
      if (rank->variables.environment == nullptr) continue;
      publish(rank->known_environment, environ);
      publish(*rank->variables.environment, environ);
    }
  }

 private:
  template <class Value>
  static void publish(Value& place, Value value) noexcept {
    // release: the text or the array is whole for those who go through it; that is libc's getenv, an ordinary read.
    __atomic_store_n(&place, value, __ATOMIC_RELEASE);
  }

  template <class Value>
  static Value read(const Value& place) noexcept {
    return __atomic_load_n(&place, __ATOMIC_RELAXED);  // of a rank, by whoever has the lock or is the rank
  }

  static std::size_t size() noexcept {
    std::size_t count = 0;
    while (environ != nullptr && environ[count] != nullptr) ++count;
    return count;
  }

  char** copy(std::size_t count, std::size_t room) {
    char** const made = arrays_.emplace_front(new char*[room]()).get();
    if (count != 0) std::memcpy(made, environ, count * sizeof *made);
    return made;
  }

  void use(char** array, std::size_t room) noexcept {
    own_ = room == 0 ? nullptr : array;
    room_ = room;
    publish(environ, array);
  }

  char** own_ = nullptr;
  std::size_t room_ = 0;
  std::forward_list<std::unique_ptr<char*[]>> arrays_;
  std::set<std::string> texts_;
};

shared_environment& shared() {
  static auto* const one = new shared_environment;
  return *one;
}

/// change() under the lock; afterwards all copies are as libc's.
template <class Change>
void changed(Change change) noexcept {
  shared_environment& all = shared();
  std::unique_lock held(all.lock, std::defer_lock);
  if (is_process_of_ranks()) held.lock();  // a forked child has one thread; others may have had the lock
  const bool is_assigned = shared_environment::is_assigned(hidden_state_here());
  all.take_assigned();
  change(all);
  all.tell_all();
  if (!is_assigned) return;
  const auto place = reinterpret_cast<std::uintptr_t>(environ);
  note_setting(shared_thing::environment, "environ", {reinterpret_cast<const char*>(&place), sizeof place});
}

bool is_name(const char* name) noexcept {
  if (name != nullptr && *name != '\0' && std::strchr(name, '=') == nullptr) return true;
  errno = EINVAL;
  return false;
}

int rank_setenv(const char* name, const char* value, int replace) {
  if (!is_name(name)) return -1;
  bool is_set = false;
  changed([&](shared_environment& all) {
    if (replace == 0 && all.place_of(name) != nullptr) return;
    all.set(name, all.kept(std::string(name).append("=").append(value)));
    is_set = true;
  });
  if (is_set) note_setting(shared_thing::environment, name, value);
  return 0;
}

int rank_unsetenv(const char* name) {
  if (!is_name(name)) return -1;
  changed([&](shared_environment& all) { all.remove(name); });
  note_setting(shared_thing::environment, name, removed);
  return 0;
}

/// The string itself becomes a part of the environment.
int rank_putenv(char* string) {
  const char* const end = std::strchr(string, '=');
  if (end == nullptr) {
    changed([&](shared_environment& all) { all.remove(string); });
    note_setting(shared_thing::environment, string, removed);
    return 0;
  }
  const std::string_view name(string, static_cast<std::size_t>(end - string));
  changed([&](shared_environment& all) { all.set(name, string); });
  note_setting(shared_thing::environment, name, end + 1);
  return 0;
}

int rank_clearenv() {
  changed([](shared_environment& all) { all.use_none(); });
  return 0;
}

/// libc's functions do not know what the program has assigned to its variable `environ`.
void see_assignment() noexcept {
  if (shared_environment::is_assigned(hidden_state_here())) changed([](shared_environment&) {});
}

char* rank_getenv(const char* name) {
  see_assignment();
  return std::getenv(name);
}

char* rank_secure_getenv(const char* name) {
  see_assignment();
  return secure_getenv(name);
}

}  // namespace

std::span<const replacement> environment_parts() noexcept {
  static const replacement table[] = {
      replaced_by("setenv", rank_setenv),
      replaced_by("unsetenv", rank_unsetenv),
      replaced_by("putenv", rank_putenv),
      replaced_by("clearenv", rank_clearenv),
      replaced_by("getenv", rank_getenv),
      replaced_by("secure_getenv", rank_secure_getenv),
      replaced_by("__secure_getenv", rank_secure_getenv),
  };
  return table;
}

}  // namespace pure::core
