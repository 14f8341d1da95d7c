#include "api/fortran/kept.hpp"

#include <pthread.h>

namespace pure::fortran {

std::atomic<int> requests_that_keep{0};

namespace {

struct kept {
  kept* next;
  MPI_Request request;
  bool is_copy;
  section_copy copy;
  void* memory;
  integer* late = nullptr;  // where the number of the communicator goes whose handle the memory is
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
kept* all = nullptr;  // under the lock; few at a time

class locked {
 public:
  locked() { pthread_mutex_lock(&lock); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;
  ~locked() { pthread_mutex_unlock(&lock); }
};

void add(const kept& what) {
  auto* const made = static_cast<kept*>(std::malloc(sizeof(kept)));
  if (made == nullptr) end_without_memory();
  *made = what;
  const locked here;
  made->next = all;
  all = made;
  requests_that_keep.fetch_add(1, std::memory_order_relaxed);
}

/// Calls `each` for what the request keeps; true: it is to be taken out.
template <class Each>
void for_kept_of(MPI_Request request, const Each& each) {
  const locked here;
  for (kept** at = &all; *at != nullptr;) {
    kept* const its = *at;
    if (its->request == request && each(*its)) {
      *at = its->next;
      std::free(its);
      requests_that_keep.fetch_sub(1, std::memory_order_relaxed);
    } else {
      at = &its->next;
    }
  }
}

}  // namespace

void keep_copy(MPI_Request request, const section_copy& copy) { add({nullptr, request, true, copy, copy.memory}); }
void keep_memory(MPI_Request request, void* memory) { add({nullptr, request, false, {}, memory}); }
void keep_late(MPI_Request request, MPI_Comm* made, integer* to) { add({nullptr, request, false, {}, made, to}); }

void start_kept(MPI_Request request) {
  for_kept_of(request, [](const kept& its) {
    if (its.is_copy) its.copy.read();
    return false;
  });
}

void look_at_kept(MPI_Request request, bool has_ended) {
  for_kept_of(request, [has_ended](const kept& its) {
    // One that goes on may write the copy meanwhile: the program does not look at its section before it knows the end.
    if (its.is_copy) its.copy.write_back();
    if (its.late != nullptr) give(*static_cast<MPI_Comm*>(its.memory), its.late);
    if (has_ended) std::free(its.memory);
    return has_ended;
  });
}

void forget_kept(MPI_Request request) {
  int is_complete = 0;  // or inactive
  if (MPI_Request_get_status(request, &is_complete, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
  if (is_complete != 0) return look_at_kept(request, true);
  for_kept_of(request, [](const kept&) { return true; });
}

void drop_kept(MPI_Request request) {
  for_kept_of(request, [](const kept& its) {
    std::free(its.memory);
    return true;
  });
}

}  // namespace pure::fortran
