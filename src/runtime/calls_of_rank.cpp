#include "runtime/calls_of_rank.hpp"

#include <pthread.h>

#include <mutex>
#include <new>

namespace pure::core {

namespace {

/// One of a thread, in its own memory: linked while the thread is a guest.
struct guest_record {
  rank_context** current;  // the thread's current_rank
  const calls_of_rank* host;
  guest_record* before;
  guest_record* next;
};

constinit std::mutex changing;  // guards the list, and what is linked
constinit guest_record* first = nullptr;
constinit thread_local guest_record own{};

/// Under the lock.
void unlink(guest_record& guest) noexcept {
  (guest.before != nullptr ? guest.before->next : first) = guest.next;
  if (guest.next != nullptr) guest.next->before = guest.before;
  guest = {};
}

/// What the thread does after that, in destructors of its own, makes it a guest again.
void on_end_of_thread(void*) noexcept {
  const std::lock_guard lock(changing);
  if (own.host == nullptr) return;
  current_rank = nullptr;
  unlink(own);
}

/// In a child, whose only thread is nobody's guest.
void guests_were_left_behind() noexcept {
  new (&changing) std::mutex;  // whoever has it is not there
  first = nullptr;
  own = {};
}

/// Throws std::bad_alloc.
void hear_of_the_end_of_this_thread() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_atfork(nullptr, nullptr, guests_were_left_behind);
    if (pthread_key_create(&made, on_end_of_thread) != 0) throw std::bad_alloc();
    return made;
  }();
  if (pthread_setspecific(key, &own) != 0) throw std::bad_alloc();
}

}  // namespace

void calls_of_rank::add_guest() {
  hear_of_the_end_of_this_thread();
  const std::lock_guard lock(changing);
  own = {.current = &current_rank, .host = this, .before = nullptr, .next = first};
  if (first != nullptr) first->before = &own;
  first = &own;
  is_guest_thread = true;
  current_rank = &rank_;
}

void calls_of_rank::dismiss_guests() noexcept {
  const std::lock_guard lock(changing);
  for (guest_record* each = first; each != nullptr;) {
    guest_record& guest = *each;
    each = guest.next;
    if (guest.host != this) continue;
    *guest.current = nullptr;
    unlink(guest);
  }
}

}  // namespace pure::core
