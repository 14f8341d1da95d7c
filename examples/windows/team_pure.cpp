// Teams and windows on Pure.
#include <pure/pure.hpp>

#include <array>
#include <functional>
#include <utility>

#include "team.hpp"

namespace windows {

struct team::system {
  pure::comm ranks;
};

team::team(system& on) : on_(on), rank_(on.ranks.rank()), size_(on.ranks.size()) {}

const char* team::name() { return "Pure"; }
bool team::is_first_of_its_process() const { return rank_ == 0; }

void team::barrier() { on_.ranks.barrier(); }
void team::sum(std::span<double> values) { on_.ranks.all_reduce_in_place(values, std::plus{}); }
void team::sum(std::span<std::uint64_t> values) { on_.ranks.all_reduce_in_place(values, std::plus{}); }

void team::exchange(std::span<const edge> edges) {
  std::array<pure::request, 2 * most_edges> all;
  std::size_t count = 0;
  for (const edge& each : edges) all[count++] = on_.ranks.irecv_into(each.in, each.peer);
  for (const edge& each : edges) all[count++] = on_.ranks.isend(each.out, each.peer);
  for (std::size_t i = 0; i < count; ++i) all[i].wait();
}

template <class T>
struct window<T>::implementation {
  explicit implementation(pure::window<T> made) : memory(std::move(made)) {}

  pure::window<T> memory;
};

template <class T>
window<T>::window(team& on, std::size_t count, placement where, const char* name) {
  const pure::window_options options{
      .where = where == placement::contiguous ? pure::placement::contiguous : pure::placement::separate,
      .alignment = 64,
      .name = name};
  on_ = std::make_unique<implementation>(pure::window<T>::allocate(on.on().ranks, count, options));
}

template <class T>
window<T>::~window() = default;  // the memory goes when all ranks have said so

template <class T>
std::span<T> window<T>::part(int rank) const {
  return on_->memory.part(rank);
}
template <class T>
void window<T>::fence() {
  on_->memory.fence();
}
template <class T>
void window<T>::put(std::span<const T> data, int rank, std::size_t offset) {
  on_->memory.put(data, {rank, offset});
}
template <class T>
void window<T>::notify(int rank, int counter) {
  on_->memory.notify(rank, counter);
}
template <class T>
void window<T>::put_notify(std::span<const T> data, int rank, std::size_t offset, int counter) {
  on_->memory.put_notify(data, {rank, offset}, counter);
}
template <class T>
void window<T>::wait_notified(int counter) {
  on_->memory.wait_notified(1, counter);
}

template class window<double>;
template class window<float>;
template class window<int>;

int launch(int argc, char** argv, const char* name, program run) {
  return pure::run(argc, argv, [&](const pure::comm& world) {
    team::system on{world.split_type(pure::split_by::process).value()};
    team ranks(on);
    const int status = run_rank(ranks, world.rank(), world.size(), name, run, argc, argv);
    world.barrier();  // a rank that returns non-zero may end the job: not before rank 0 has said why
    return status;
  });
}

}  // namespace windows
