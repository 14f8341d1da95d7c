// Teams and windows on MPI 3. Its default error handler ends the job, so return codes need no look.
//
// MPI has no notifications: they are counters in a window of their own, added to and polled by atomic instructions. A
// rank that polls for long gives up its core, for there may be more ranks than cores.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "team.hpp"

namespace windows {

struct team::system {
  MPI_Comm ranks;
};

namespace {

constexpr int counters = 8;

// Of one rank, on lines of its own.
struct alignas(128) counter_line {
  std::uint64_t count[counters];
};

template <class T>
MPI_Datatype type_of();
template <>
MPI_Datatype type_of<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype type_of<float>() {
  return MPI_FLOAT;
}
template <>
MPI_Datatype type_of<int>() {
  return MPI_INT;
}

// MPI_Win_allocate_shared, and the addresses of all parts.
template <class T>
struct shared_memory {
  shared_memory(MPI_Comm on, std::size_t count, placement where) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", where == placement::separate ? "true" : "false");
    T* base = nullptr;
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(count * sizeof(T)), sizeof(T), info, on, &base, &win);
    MPI_Info_free(&info);
    int size = 0;
    MPI_Comm_size(on, &size);
    for (int rank = 0; rank < size; ++rank) {
      MPI_Aint bytes = 0;
      int unit = 0;
      MPI_Win_shared_query(win, rank, &bytes, &unit, &base);
      parts.emplace_back(base, static_cast<std::size_t>(bytes) / sizeof(T));
    }
  }
  ~shared_memory() { MPI_Win_free(&win); }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;

  MPI_Win win = MPI_WIN_NULL;
  std::vector<std::span<T>> parts;
};

}  // namespace

team::team(system& on) : on_(on) {
  MPI_Comm_rank(on.ranks, &rank_);
  MPI_Comm_size(on.ranks, &size_);
}

// What comes before the version in the text that every MPI has about itself: "MPICH", "Open MPI".
const char* team::name() {
  static const std::string name = [] {
    char about[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(about, &length);
    const std::string text(about);
    std::size_t end = text.size();
    for (const char* behind : {" Version", " Library", " v", ":", ",", "\n"}) end = std::min(end, text.find(behind));
    return text.substr(0, end);
  }();
  return name.c_str();
}
bool team::is_first_of_its_process() const { return true; }

void team::barrier() { MPI_Barrier(on_.ranks); }
void team::sum(std::span<double> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, on_.ranks);
}
void team::sum(std::span<std::uint64_t> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, MPI_SUM, on_.ranks);
}

void team::exchange(std::span<const edge> edges) {
  std::array<MPI_Request, 2 * most_edges> all;
  std::size_t count = 0;
  for (const edge& each : edges) {
    MPI_Irecv(each.in.data(), static_cast<int>(each.in.size()), MPI_DOUBLE, each.peer, 0, on_.ranks, &all[count++]);
  }
  for (const edge& each : edges) {
    MPI_Isend(each.out.data(), static_cast<int>(each.out.size()), MPI_DOUBLE, each.peer, 0, on_.ranks, &all[count++]);
  }
  MPI_Waitall(static_cast<int>(count), all.data(), MPI_STATUSES_IGNORE);
}

template <class T>
struct window<T>::implementation {
  implementation(team& on, std::size_t count, placement where)
      : rank(on.rank()), memory(on.on().ranks, count, where), notified(on.on().ranks, 1, placement::separate) {
    notified.parts[rank_index()][0] = {};
    MPI_Win_lock_all(MPI_MODE_NOCHECK, notified.win);
    on.barrier();
  }
  ~implementation() {
    MPI_Win_unlock_all(notified.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, memory.win);
  }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

  std::size_t rank_index() const { return static_cast<std::size_t>(rank); }

  int rank;
  shared_memory<T> memory;
  shared_memory<counter_line> notified;
  std::uint64_t taken[counters] = {};
};

template <class T>
window<T>::window(team& on, std::size_t count, placement where, const char*)
    : on_(std::make_unique<implementation>(on, count, where)) {}

template <class T>
window<T>::~window() = default;

template <class T>
std::span<T> window<T>::part(int rank) const {
  return on_->memory.parts[static_cast<std::size_t>(rank)];
}
template <class T>
void window<T>::fence() {
  MPI_Win_fence(0, on_->memory.win);
}
template <class T>
void window<T>::put(std::span<const T> data, int rank, std::size_t offset) {
  const int count = static_cast<int>(data.size());
  MPI_Put(data.data(), count, type_of<T>(), rank, static_cast<MPI_Aint>(offset), count, type_of<T>(), on_->memory.win);
}
template <class T>
void window<T>::notify(int rank, int counter) {
  std::uint64_t& count = on_->notified.parts[static_cast<std::size_t>(rank)][0].count[counter];
  // Release: what this rank has stored is seen by the one who takes it; pairs with the acquire in wait_notified().
  std::atomic_ref(count).fetch_add(1, std::memory_order_release);
}
template <class T>
void window<T>::put_notify(std::span<const T> data, int rank, std::size_t offset, int counter) {
  std::copy(data.begin(), data.end(), part(rank).begin() + static_cast<std::ptrdiff_t>(offset));
  notify(rank, counter);
}
template <class T>
void window<T>::wait_notified(int counter) {
  constexpr int polls_before_yield = 1000;
  std::uint64_t& count = on_->notified.parts[on_->rank_index()][0].count[counter];
  const std::uint64_t wanted = ++on_->taken[counter];
  // Acquire: pairs with the release in notify().
  for (int polls = 0; std::atomic_ref(count).load(std::memory_order_acquire) < wanted; ++polls) {
    if (polls >= polls_before_yield) {
      polls = polls_before_yield;
      sched_yield();
    }
  }
}

template class window<double>;
template class window<float>;
template class window<int>;

int launch(int argc, char** argv, const char* name, program run) {
  MPI_Init(&argc, &argv);
  int job_rank = 0, job_size = 1, status = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  team::system on{};
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &on.ranks);
  try {
    team ranks(on);
    status = run_rank(ranks, job_rank, job_size, name, run, argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: rank %d: %s\n", name, job_rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_free(&on.ranks);
  MPI_Barrier(MPI_COMM_WORLD);  // a rank that returns non-zero may end the job: not before rank 0 has said why
  MPI_Finalize();
  return status;
}

}  // namespace windows
