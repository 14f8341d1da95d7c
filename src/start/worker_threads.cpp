#include "start/worker_threads.hpp"

#include <pthread.h>

#include <mutex>
#include <new>

#include "runtime/forked_child.hpp"

namespace pure::core {

namespace {

constinit std::mutex changing;
constinit worker_thread* first = nullptr;

/// In a child, which may have workers of its own: a thread of theirs may be known by the same pthread_t.
void workers_were_left_behind() noexcept {
  new (&changing) std::mutex;  // whoever has it is not there
  first = nullptr;
}

}  // namespace

worker_thread::worker_thread(const rank_context& worker) noexcept : worker_(worker) {
  static const int heard_of = pthread_atfork(nullptr, nullptr, workers_were_left_behind);
  (void)heard_of;
  const std::lock_guard lock(changing);
  next_ = first;
  if (next_ != nullptr) next_->before_ = this;
  first = this;
}

worker_thread::~worker_thread() {
  if (is_forked_child()) return;  // whoever had the lock is not there
  const std::lock_guard lock(changing);
  (before_ != nullptr ? before_->next_ : first) = next_;
  if (next_ != nullptr) next_->before_ = before_;
}

void visit_worker_of(pthread_t thread, const std::function<void(const rank_context&)>& visit) {
  const std::lock_guard lock(changing);
  for (const worker_thread* each = first; each != nullptr; each = each->next_) {
    if (pthread_equal(each->thread_, thread) != 0) return visit(each->worker_);
  }
}

}  // namespace pure::core
