// getenv, setenv and their relatives: each rank has an environment of its own, in its variable `environ`, which is set
// and read as libc's is, places in the vector included. What else reads it inside libc is in environment_readers.cpp
// and program_starts.cpp.
//
// Any thread of the rank. setenv and its relatives take the rank's lock; getenv takes none, and those who go through
// `environ` do not either: they see what was there or what is there now.
#include "libc/environment_state.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"
#include "runtime/forked_child.hpp"

namespace pure::core {

namespace {

template <class Value>
void publish(Value& place, Value value) noexcept {
  // release: the text or the vector is whole for those who go through it, by ordinary reads, as getenv() here does.
  __atomic_store_n(&place, value, __ATOMIC_RELEASE);
}

std::size_t size_of(char* const* vector) noexcept {
  std::size_t count = 0;
  while (vector != nullptr && vector[count] != nullptr) ++count;
  return count;
}

/// The entry of that name; null: there is none.
char** place_of(char** vector, std::string_view name) noexcept {
  for (char** entry = vector; entry != nullptr && *entry != nullptr; ++entry)
    if (std::strncmp(*entry, name.data(), name.size()) == 0 && (*entry)[name.size()] == '=') return entry;
  return nullptr;
}

char** new_vector(environment_state& state, std::size_t room) {
  // As the kernel leaves it on a stack, there is an auxiliary vector behind it, for those who look: one that ends.
  return state.vectors.emplace_front(new char*[room + 2 * sizeof(std::uint64_t) / sizeof(char*)]()).get();
}

void set(environment_state& state, char**& vector, std::string_view name, char* entry) {
  if (char** const place = place_of(vector, name)) return publish(*place, entry);
  const std::size_t count = size_of(vector);
  if (state.made == nullptr || count + 2 > state.room) {
    const std::size_t room = 2 * (count + 8);
    char** const larger = new_vector(state, room);
    if (count != 0) std::memcpy(larger, vector, count * sizeof *larger);
    state.made = larger, state.room = room;
  } else if (vector != state.made && count != 0) {  // the program's
    std::memmove(state.made, vector, count * sizeof *vector);
  }
  state.made[count + 1] = nullptr;
  publish(state.made[count], entry);
  publish(vector, state.made);
}

/// All of that name, in the vector itself.
void remove(char** vector, std::string_view name) noexcept {
  while (char** place = place_of(vector, name))
    for (; *place != nullptr; ++place) publish(place[0], place[1]);
}

bool is_name(const char* name) noexcept {
  if (name != nullptr && *name != '\0' && std::strchr(name, '=') == nullptr) return true;
  errno = EINVAL;
  return false;
}

/// change(state, variable) under the rank's lock.
template <class Change>
int changed(Change change) noexcept {
  hidden_state& rank = hidden_state_here();
  char**& own = *rank.variables.environment;
  std::unique_lock held(rank.environment.lock, std::defer_lock);
  if (is_process_of_ranks()) held.lock();  // a forked child has one thread; another may have had the lock
  try {
    change(rank.environment, own);
    return 0;
  } catch (...) {
    errno = ENOMEM;
    return -1;
  }
}

int rank_setenv(const char* name, const char* value, int replace) {
  if (!is_name(name)) return -1;
  return changed([&](environment_state& state, char**& vector) {
    if (replace == 0 && place_of(vector, name) != nullptr) return;
    const auto text = state.texts.insert(std::string(name).append("=").append(value)).first;
    set(state, vector, name, const_cast<char*>(text->c_str()));
  });
}

int rank_unsetenv(const char* name) {
  if (!is_name(name)) return -1;
  return changed([&](environment_state&, char**& vector) { remove(vector, name); });
}

/// The string itself becomes a part of the environment.
int rank_putenv(char* string) {
  const char* const end = std::strchr(string, '=');
  if (end == nullptr) return changed([&](environment_state&, char**& vector) { remove(vector, string); });
  const std::string_view name(string, static_cast<std::size_t>(end - string));
  return changed([&](environment_state& state, char**& vector) { set(state, vector, name, string); });
}

int rank_clearenv() {
  return changed([](environment_state&, char**& vector) { publish(vector, static_cast<char**>(nullptr)); });
}

char* rank_secure_getenv(const char* name) { return getauxval(AT_SECURE) != 0 ? nullptr : own_variable(name); }

/// libc's setenv enlarges and frees what it has made: that must not be one which somebody goes through, or which is put
/// back later. By whoever has the lock of borrowed_environment.
char** process_environment() {
  static auto* const copies = new std::forward_list<std::unique_ptr<char*[]>>;
  if (!copies->empty() && environ == copies->front().get()) return environ;
  const std::size_t count = size_of(environ);
  char** const copy = copies->emplace_front(new char*[count + 1]()).get();
  if (count != 0) std::memcpy(copy, environ, count * sizeof *copy);
  publish(environ, copy);
  return copy;
}

std::recursive_mutex& lock_of_libc() {
  static auto* const one = new std::recursive_mutex;
  return *one;
}

/// Of borrowed_environment.
constinit thread_local int borrowings = 0;

}  // namespace

char** own_entry(const char* name) noexcept {
  return *name == '\0' ? nullptr : place_of(*hidden_state_here().variables.environment, name);
}

char* own_variable(const char* name) noexcept {
  char** const entry = own_entry(name);
  return entry == nullptr ? nullptr : *entry + std::strlen(name) + 1;
}

void begin_environment(hidden_state& rank) {
  const std::scoped_lock held(lock_of_libc());
  environment_state& state = rank.environment;
  char** const all = process_environment();
  const std::size_t count = size_of(all);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += std::strlen(all[i]) + 1;
  state.first_texts = std::make_unique<char[]>(bytes);
  char** const vector = new_vector(state, count + 1);
  char* next = state.first_texts.get();
  for (std::size_t i = 0; i < count; ++i) {
    vector[i] = next;
    next = stpcpy(next, all[i]) + 1;
  }
  if (rank.variables.environment == &environ) rank.variables.environment = &rank.own.environment;
  *rank.variables.environment = vector;
}

borrowed_environment::borrowed_environment() : rank_(hidden_state_here()) {
  // A child of vfork has its parent's memory, in which others go on: it leaves that alone. One of fork has one thread,
  // and another may have had the lock.
  if (is_process_of_ranks())
    held_ = std::unique_lock(lock_of_libc());
  else if (!is_forked_from_worker())
    return;
  before_ = borrowings++ == 0 ? process_environment() : environ;
  lend(*rank_.variables.environment);
  is_lent_ = true;
}

borrowed_environment::~borrowed_environment() {
  if (!is_lent_) return;
  if (environ != lent_) take(environ);
  --borrowings;
  publish(environ, before_);
}

void borrowed_environment::lend(char** vector) noexcept {
  lent_ = vector;
  publish(environ, vector);
}

void borrowed_environment::take(char* const* vector) {
  const std::size_t count = size_of(vector);
  char** const own = new_vector(rank_.environment, count + 1);
  if (count != 0) std::memcpy(own, vector, count * sizeof *own);
  publish(*rank_.variables.environment, own);
}

std::span<const replacement> environment_parts() noexcept {
  static const replacement table[] = {
      replaced_by("setenv", rank_setenv),
      replaced_by("unsetenv", rank_unsetenv),
      replaced_by("putenv", rank_putenv),
      replaced_by("clearenv", rank_clearenv),
      replaced_by("getenv", own_variable),
      replaced_by("secure_getenv", rank_secure_getenv),
      replaced_by("__secure_getenv", rank_secure_getenv),
  };
  return table;
}

}  // namespace pure::core
