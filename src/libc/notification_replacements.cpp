// Functions that the program wants called when something is done (SIGEV_THREAD), by a thread that libc makes for that:
// a timer, asynchronous input and output, a message in a queue, an address that is found. That thread is the rank's, as
// those that it makes itself: its globals, thread-local variables, environment and streams are there.
//
// Any thread of the rank.
#include <aio.h>
#include <mqueue.h>
#include <netdb.h>
#include <signal.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>

#include "libc/hidden_state.hpp"
#include "libc/notifications.hpp"
#include "libc/program_of_rank.hpp"
#include "libc/replacement_parts.hpp"

namespace pure::core {

namespace {

using notified_function = void (*)(sigval);

struct notification {
  notified_function function;
  sigval value;
  hidden_state* state;
};

void notify(sigval which) {
  const auto& its = *static_cast<const notification*>(which.sival_ptr);
  if (its.state->program != nullptr)
    its.state->program->begin_thread();
  else
    set_hidden_state_here(its.state);
  its.function(its.value);
}

/// Kept as long as the process: libc does not tell who has called the last time. The same wish is one.
const notification* kept(const notification& wanted) {
  using key = std::tuple<notified_function, void*, hidden_state*>;
  static std::mutex changing;
  static auto* const all = new std::map<key, notification>;
  const std::lock_guard lock(changing);
  return &all->try_emplace({wanted.function, wanted.value.sival_ptr, wanted.state}, wanted).first->second;
}

int rank_mq_notify(mqd_t queue, const sigevent* event) {
  if (event == nullptr) return mq_notify(queue, event);
  sigevent own = *event;
  notify_in_rank(own);
  return mq_notify(queue, &own);
}

int rank_getaddrinfo_a(int mode, gaicb* list[], int count, sigevent* event) {
  if (event == nullptr) return getaddrinfo_a(mode, list, count, event);
  sigevent own = *event;
  notify_in_rank(own);
  return getaddrinfo_a(mode, list, count, &own);
}

/// libc looks into the request when it is done.
template <int (*Function)(aiocb*)>
int request(aiocb* of_program) {
  if (of_program != nullptr) notify_in_rank(of_program->aio_sigevent);
  return Function(of_program);
}

int rank_aio_fsync(int operation, aiocb* of_program) {
  if (of_program != nullptr) notify_in_rank(of_program->aio_sigevent);
  return aio_fsync(operation, of_program);
}

int rank_lio_listio(int mode, aiocb* const list[], int count, sigevent* event) {
  for (int i = 0; i < count; ++i)
    if (list[i] != nullptr) notify_in_rank(list[i]->aio_sigevent);
  if (event == nullptr) return lio_listio(mode, list, count, event);
  sigevent own = *event;
  notify_in_rank(own);
  return lio_listio(mode, list, count, &own);
}

}  // namespace

void notify_in_rank(sigevent& event) noexcept {
  if (event.sigev_notify != SIGEV_THREAD || event.sigev_notify_function == notify) return;
  hidden_state* const state = hidden_state_of_thread();
  if (state == nullptr || event.sigev_notify_function == nullptr) return;
  try {
    const notification* const its = kept({event.sigev_notify_function, event.sigev_value, state});
    event.sigev_notify_function = notify;
    event.sigev_value.sival_ptr = const_cast<notification*>(its);
  } catch (...) {  // no memory, of which libc will need some, too
  }
}

std::span<const replacement> notification_parts() noexcept {
  static const replacement table[] = {
      replaced_by("mq_notify", rank_mq_notify),     replaced_by("getaddrinfo_a", rank_getaddrinfo_a),
      replaced_by("aio_read", request<aio_read>),   replaced_by("aio_read64", request<aio_read>),
      replaced_by("aio_write", request<aio_write>), replaced_by("aio_write64", request<aio_write>),
      replaced_by("aio_fsync", rank_aio_fsync),     replaced_by("aio_fsync64", rank_aio_fsync),
      replaced_by("lio_listio", rank_lio_listio),   replaced_by("lio_listio64", rank_lio_listio),
  };
  return table;
}

}  // namespace pure::core
