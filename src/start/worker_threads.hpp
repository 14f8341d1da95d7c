// Which threads of the process are ranks or helpers, of any of its jobs: for who knows one by its pthread_t.
#pragma once

#include <pthread.h>

#include <functional>

#include "runtime/rank.hpp"

namespace pure::core {

/// While it lives, the calling thread is known as this worker's.
class worker_thread {
 public:
  explicit worker_thread(const rank_context& worker) noexcept;
  worker_thread(const worker_thread&) = delete;
  worker_thread& operator=(const worker_thread&) = delete;
  ~worker_thread();

 private:
  friend void visit_worker_of(pthread_t thread, const std::function<void(const rank_context&)>& visit);

  const pthread_t thread_ = pthread_self();
  const rank_context& worker_;
  worker_thread* before_ = nullptr;  // in the list of all
  worker_thread* next_ = nullptr;
};

/// Calls visit(worker) if the thread is one; no worker ends meanwhile. Any thread.
void visit_worker_of(pthread_t thread, const std::function<void(const rank_context&)>& visit);

}  // namespace pure::core
