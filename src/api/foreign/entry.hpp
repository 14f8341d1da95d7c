// The parts of the door's functions: arguments that are converted before the core's entry is called, and results
// afterwards (write_foreign_entries.py). A null pointer stays one, which is an error in the core where it is one in
// MPI.
#pragma once

#include <cstdlib>
#include <cstring>

#include "api/doors/jump.hpp"
#include "api/foreign/values.hpp"

/// MPI_NAME for PMPI_NAME, before which a tool may stand (MPI 5.0, 15.2).
#define PURE_FOREIGN_NAME(name) asm("\t.weak " #name "\n\t.set " #name ", P" #name "\n")

namespace pure::foreign {

[[noreturn]] void end_without_memory();

/// Room for a few elements, or memory for more.
template <class T, std::size_t few = 64>
class array_room {
 public:
  explicit array_room(std::int64_t count) {
    if (count <= static_cast<std::int64_t>(few)) [[likely]]
      return;
    all_ = static_cast<T*>(std::malloc(static_cast<std::size_t>(count) * sizeof(T)));
    if (all_ == nullptr) end_without_memory();
  }
  array_room(const array_room&) = delete;
  array_room& operator=(const array_room&) = delete;
  ~array_room() {
    if (all_ != few_) std::free(all_);
  }
  [[nodiscard]] T* all() noexcept { return all_; }

 private:
  union {  // which nobody sets to anything before it is used
    T few_[few];
  };
  T* all_ = few_;
};

// ---- numbers ----

/// An argument that is an array.
class read_numbers {
 public:
  read_numbers(const int* given, std::int64_t count, int (*in)(int)) : room_(count), is_given_(given != nullptr) {
    for (std::int64_t i = 0; is_given_ && i < count; ++i) room_.all()[i] = in(given[i]);
  }
  [[nodiscard]] const int* place() noexcept { return is_given_ ? room_.all() : nullptr; }

 private:
  array_room<int> room_;
  const bool is_given_;
};

class changed_number {
 public:
  changed_number(int* number, int (*in)(int), int (*out)(int))
      : number_(number), now_(number == nullptr ? 0 : in(*number)), out_(out) {}
  [[nodiscard]] int* place() noexcept { return number_ == nullptr ? nullptr : &now_; }
  void give() const {
    if (number_ != nullptr) *number_ = out_(now_);
  }

 private:
  int* const number_;
  int now_;
  int (*const out_)(int);
};

/// Results that lie where the program wants them.
inline void convert(int* all, std::int64_t count, int (*out)(int)) {
  for (std::int64_t i = 0; all != nullptr && i < count; ++i) all[i] = out(all[i]);
}

inline std::int64_t sum_of(const int* all, std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; all != nullptr && i < count; ++i) sum += all[i];
  return sum;
}
inline std::int64_t last_of(const int* all, std::int64_t count) {
  return all != nullptr && count > 0 ? all[count - 1] : 0;
}

/// The lengths of arrays that no argument says: 0 where the communicator is wrong, which the core finds out.
std::int64_t ranks_of(comm_handle comm);
struct degrees {
  std::int64_t in = 0, out = 0;
};
degrees degrees_of(comm_handle comm);

// ---- addresses ----

template <class Address>
Address buffer_in(Address given) {
  constexpr auto in_place = static_cast<std::intptr_t>(PURE_FOREIGN_IN_PLACE_VALUE);
  if constexpr (in_place == 1) {
    static_assert(sizeof(Address) == sizeof(void*));
    return given;  // as in the standard ABI
  } else {
    return reinterpret_cast<std::intptr_t>(given) == in_place ? constants::in_place : given;
  }
}
// A message takes less of an attached buffer than any MPI says (match/send_buffer.hpp), so that one of the program's
// is large enough here.
static_assert(MPI_BSEND_OVERHEAD >= 64);
inline void* attached_in(void* given) {
#ifdef MPI_BUFFER_AUTOMATIC
  if (given == MPI_BUFFER_AUTOMATIC) return constants::buffer_automatic;
#endif
  return given;
}
inline void give_detached([[maybe_unused]] void* place) {
#ifdef MPI_BUFFER_AUTOMATIC
  void*& address = *static_cast<void**>(place);
  if (address == constants::buffer_automatic) address = MPI_BUFFER_AUTOMATIC;
#endif
}
inline int* weights_in(const int* given) {
  if (given == MPI_UNWEIGHTED) return constants::unweighted;
  if (given == MPI_WEIGHTS_EMPTY) return constants::weights_empty;
  return const_cast<int*>(given);
}

// ---- texts ----

template <int room>
class written_text {
 public:
  explicit written_text(char* to) noexcept : to_(to) { here_[0] = '\0'; }
  [[nodiscard]] char* place() noexcept { return to_ == nullptr ? nullptr : here_; }
  /// `limit`: the characters that the program has room for, with the end.
  void give(int limit, int* length) {
    std::size_t taken = strnlen(here_, room - 1);
    if (taken > static_cast<std::size_t>(limit) - 1) taken = static_cast<std::size_t>(limit) - 1;
    std::memcpy(to_, here_, taken);
    to_[taken] = '\0';
    if (length != nullptr) *length = static_cast<int>(taken);
  }

 private:
  char* const to_;
  char here_[room];
};

// ---- handles ----

/// A handle that a call makes. One that it has not made stays as it was.
template <class Name, class Handle, Name (*)(Handle), Handle (*out)(Name)>
class made_handle {
 public:
  explicit made_handle(Handle* to) noexcept : to_(to) {}
  [[nodiscard]] Name* place() noexcept { return to_ == nullptr ? nullptr : &made_; }
  void give() const {
    if (made_.value != 0 && to_ != nullptr) *to_ = out(made_);
  }

 private:
  Handle* const to_;
  Name made_;
};

template <class Name, class Handle, Name (*in)(Handle), Handle (*out)(Name)>
class changed_handle {
 public:
  explicit changed_handle(Handle* handle) : handle_(handle) {
    if (handle != nullptr) now_ = in(*handle);
    before_ = now_;
  }
  [[nodiscard]] Name* place() noexcept { return handle_ == nullptr ? nullptr : &now_; }
  void give() const {
    if (now_ != before_) *handle_ = out(now_);
  }

 private:
  Handle* const handle_;
  Name now_, before_;
};

template <class Name, class Handle, Name (*in)(Handle), Handle (*)(Name)>
class read_handles {
 public:
  read_handles(const Handle* given, std::int64_t count) : room_(count), is_given_(given != nullptr) {
    for (std::int64_t i = 0; is_given_ && i < count; ++i) room_.all()[i] = in(given[i]);
  }
  [[nodiscard]] const Name* place() noexcept { return is_given_ ? room_.all() : nullptr; }

 private:
  array_room<Name> room_;
  const bool is_given_;
};

template <class Name, class Handle, Name (*in)(Handle), Handle (*out)(Name)>
class changed_handles {
 public:
  changed_handles(Handle* handles, std::int64_t count)
      : handles_(handles), count_(handles == nullptr ? 0 : count), room_(count_) {
    for (std::int64_t i = 0; i < count_; ++i) room_.all()[i] = in(handles[i]);
  }
  [[nodiscard]] Name* place() noexcept { return handles_ == nullptr ? nullptr : room_.all(); }
  void give() {
    for (std::int64_t i = 0; i < count_; ++i) handles_[i] = out(room_.all()[i]);
  }

 private:
  Handle* const handles_;
  const std::int64_t count_;
  array_room<Name> room_;
};

template <class Name, class Handle, Name (*)(Handle), Handle (*out)(Name)>
class made_handles {
 public:
  made_handles(Handle* to, std::int64_t count) : to_(to), count_(to == nullptr ? 0 : count), room_(count_) {
    for (std::int64_t i = 0; i < count_; ++i) room_.all()[i] = {};
  }
  [[nodiscard]] Name* place() noexcept { return to_ == nullptr ? nullptr : room_.all(); }
  void give() {
    for (std::int64_t i = 0; i < count_; ++i)
      if (room_.all()[i].value != 0) to_[i] = out(room_.all()[i]);
  }

 private:
  Handle* const to_;
  const std::int64_t count_;
  array_room<Name> room_;
};

// ---- statuses: the core sets the fields that it has something for, and the others stay as they were ----

inline void get(const MPI_Status& from, message_status& to);
inline void put(const message_status& from, MPI_Status& to);
inline constexpr int unset = INT_MIN + 2;

class read_status {
 public:
  explicit read_status(const MPI_Status* given) : is_given_(given != nullptr && given != MPI_STATUS_IGNORE) {
    if (is_given_) get(*given, here_);
  }
  [[nodiscard]] const message_status* place() const noexcept { return is_given_ ? &here_ : nullptr; }

 private:
  message_status here_;
  const bool is_given_;
};

class changed_status {
 public:
  explicit changed_status(MPI_Status* status) : status_(status) {
    if (status != nullptr) get(*status, here_);
  }
  [[nodiscard]] message_status* place() noexcept { return status_ == nullptr ? nullptr : &here_; }
  void give() const {
    if (status_ == nullptr) return;
    put(here_, *status_);
    status_->MPI_ERROR = code_out(here_.error);
  }

 private:
  MPI_Status* const status_;
  message_status here_;
};

inline void give_status(const message_status& from, MPI_Status& to) {
  if (from.source != unset) put(from, to);
  if (from.error != unset) to.MPI_ERROR = code_out(from.error);
}

class written_status {
 public:
  explicit written_status(MPI_Status* to) noexcept : to_(to == MPI_STATUS_IGNORE ? nullptr : to) {
    here_.source = here_.error = unset;
  }
  [[nodiscard]] message_status* place() noexcept { return to_ == nullptr ? nullptr : &here_; }
  void give() const {
    if (to_ != nullptr) give_status(here_, *to_);
  }

 private:
  MPI_Status* const to_;
  message_status here_;
};

class written_status_array {
 public:
  written_status_array(MPI_Status* to, std::int64_t count)
      : to_(to == MPI_STATUS_IGNORE ? nullptr : to), count_(to_ == nullptr ? 0 : count), room_(count_) {
    for (std::int64_t i = 0; i < count_; ++i) room_.all()[i].source = room_.all()[i].error = unset;
  }
  [[nodiscard]] message_status* place() noexcept { return to_ == nullptr ? nullptr : room_.all(); }
  void give() {
    for (std::int64_t i = 0; i < count_; ++i) give_status(room_.all()[i], to_[i]);
  }

 private:
  MPI_Status* const to_;
  const std::int64_t count_;
  array_room<message_status> room_;
};

}  // namespace pure::foreign

#include "api/foreign/status_here.hpp"
