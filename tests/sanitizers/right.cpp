// What a correct program does, of every kind, with memory that is written again and again on both sides:
// ThreadSanitizer has nothing to report (threads.sh). Exits with 0 if all values are right, too.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

namespace {

std::atomic<int> wrong{0};

void expect(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}

struct neighbours {
  explicit neighbours(pure::comm world)
      : right((world.rank() + 1) % world.size()), left((world.rank() + world.size() - 1) % world.size()) {}
  int right, left;
};

/// Through the ring, from buffer to buffer, and copied by both ends; the buffers are written again after each message.
void messages(pure::comm world) {
  const neighbours to(world);
  for (const std::size_t count : {1, 200, 1000, 10'000, 200'000}) {
    std::vector<double> out(count), in(count);
    for (int step = 0; step < 3; ++step) {
      out.assign(count, world.rank() + 10 * step);
      pure::request sending = world.isend(out, to.right, step);
      world.recv_into(in, to.left, step);
      sending.wait();
      expect(in.back() == to.left + 10 * step, "a message");
      in.assign(count, -1);
    }
    pure::persistent_request sends = world.send_init(out, to.right), receives = world.recv_init(in, to.left);
    for (int step = 0; step < 3; ++step) {
      out.assign(count, step);
      receives.start();
      sends.start();
      receives.wait();
      sends.wait();
      expect(in.front() == step, "a persistent message");
    }
    const auto moved = world.rank() % 2 == 0 ? (world.send(std::vector<double>(count, 7), to.right),
                                                world.recv<std::vector<double>>(to.left))
                                             : std::vector<double>(world.recv<std::vector<double>>(to.left));
    if (world.rank() % 2 != 0) world.send(std::vector<double>(moved), to.right);
    expect(moved.back() == 7, "a moved vector");
  }
  // Columns of a matrix: packed by the sender, unpacked by the receiver.
  constexpr std::size_t rows = 400, columns = 50;
  std::vector<double> matrix(rows * columns);
  const auto column = pure::layout<double>::vector(rows, 1, columns);
  for (int step = 0; step < 3; ++step) {
    for (double& each : matrix) each = world.rank() + step;
    pure::request sending = world.isend(column.of(matrix), to.right);
    world.recv_into(column.of(std::span(matrix).subspan(1)), to.left);
    sending.wait();
    expect(matrix[1] == to.left + step, "a column");
  }
}

void collectives(pure::comm world) {
  const int ranks = world.size();
  for (const std::size_t count : {1, 300, 20'000}) {
    std::vector<double> in(count), out(count), all(count * static_cast<std::size_t>(ranks)), exchanged(all);
    for (int step = 0; step < 3; ++step) {
      in.assign(count, 1 + step);
      world.all_reduce_into(in, out, std::plus{});
      expect(out.back() == ranks * (1 + step), "all_reduce");
      in.assign(count, world.rank() == step % ranks ? 5 : 0);
      world.bcast(in, step % ranks);
      expect(in.front() == 5, "bcast");
      in.assign(count, world.rank());
      world.all_gather_into(in, all);
      expect(all[all.size() - 1] == ranks - 1, "all_gather");
      world.gather_into(in, all);
      world.scatter_into(all, out);
      world.reduce_into(in, out, pure::max{});
      world.scan_into(in, out, std::plus{});
      world.all_to_all_into(all, exchanged);
      pure::request late = world.iall_reduce_into(in, out, std::plus{});
      late.wait();
      expect(out[0] == ranks * (ranks - 1) / 2, "iall_reduce");
      out.assign(count, 0);
    }
    auto again = world.all_reduce_init(in, out, std::plus{});
    for (int step = 0; step < 3; ++step) {
      in.assign(count, step);
      again.start();
      again.wait();
      expect(out[count / 2] == ranks * step, "a persistent all_reduce");
    }
  }
  const pure::comm half = world.split(world.rank() % 2, world.rank());
  expect(half.all_reduce(1, std::plus{}) == half.size(), "split");
  half.free();
}

/// Chunks that other ranks may take; what they write, the caller reads, and passes on.
void tasks(pure::comm world) {
  const neighbours to(world);
  std::vector<double> values(2000), received(2000);
  for (int step = 0; step < 3; ++step) {
    const int turns = world.rank() == 0 ? 3000 : 1;  // rank 0 has the work
    pure::parallel_for(
        values.size(),
        [&](std::size_t i) {
          double sum = static_cast<double>(step);
          for (int k = 0; k < turns; ++k) sum += 1.0 / (1 + k + static_cast<double>(i));
          values[i] = sum;
        },
        pure::chunk_size(20));
    expect(values.front() >= step && values.back() >= step, "parallel_for");
    const auto count = pure::parallel_reduce(
        std::size_t{0}, values.size(), std::size_t{0},
        [&](std::size_t i) { return values[i] >= step ? std::size_t{1} : 0; }, std::plus{});
    expect(count == values.size(), "parallel_reduce");
    world.sendrecv(values, to.right, received, to.left);
    expect(received[1] >= step, "values of chunks");
  }
}

/// Loads and stores of shared parts, ordered by each thing that orders them.
void windows(pure::comm world) {
  const neighbours to(world);
  auto shared = pure::window<int>::allocate(world, 1000);
  const auto mine = shared.local(), next = shared.part(to.right);
  for (int step = 0; step < 3; ++step) {
    mine[0] = world.rank() + step;
    shared.fence();
    expect(next[0] == to.right + step, "a fence");
    shared.fence();

    mine[1] = world.rank() + step;
    world.barrier();  // of the communicator: orders memory, too
    expect(next[1] == to.right + step, "a barrier");
    world.barrier();

    shared.put(world.rank() + step, {to.right, 2});
    shared.notify(to.right);
    shared.wait_notified();
    expect(mine[2] == to.left + step, "a notification");
    shared.notify(to.left, 1);  // it may be written again
    shared.wait_notified(1, 1);

    shared.lock(0);
    ++shared.part(0)[3];
    shared.unlock(0);
    {
      const auto held = shared.scoped_lock(0, pure::lock_mode::shared);
      expect(shared.part(0)[3] > 0, "a lock");
    }

    const pure::group all = world.group(), left = all.incl({to.left}), right = all.incl({to.right});
    mine[4] = -1;
    shared.post(left);
    shared.start(right);
    shared.put(world.rank() + step, {to.right, 4});
    shared.complete();
    shared.wait();
    expect(mine[4] == to.left + step, "post, start, complete and wait");

    next[5] = world.rank() + step;
    shared.flush(to.right);
    shared.sync();
    world.send(step, to.right, 9);
    (void)world.recv<int>(to.left, 9);
    shared.sync();
    expect(mine[5] == to.left + step, "flush, a message and sync");
    world.barrier();

    shared.accumulate(1, {0, 6}, std::plus{});
    shared.accumulate(std::vector<int>(500, 1), {0, 100}, std::plus{});
    (void)shared.fetch_op(1, {0, 7}, std::plus{});
    expect(shared.load({0, 7}) > 0, "fetch_op");
    shared.fence();
    expect(shared.part(0)[6] == world.size() * (step + 1), "accumulate");
    expect(shared.part(0)[599] == world.size() * (step + 1), "a long accumulate");
    shared.fence();
    // A flag of an atomic operation orders what came before it.
    if (world.rank() == 0) {
      mine[8] = step + 1;
      shared.store(step + 1, {0, 9});
    } else {
      while (shared.load({0, 9}) != step + 1) {
      }
      expect(shared.part(0)[8] == step + 1, "a flag");
    }
    shared.fence();
  }
  shared.free();

  std::vector<double> own(64, world.rank());
  auto over = pure::window<double>::over(world, own);
  over.fence();
  expect(over.get({to.right, 0}) == to.right, "get");
  over.fence();
  own[0] = 1;
  over.fence();
  expect(over.part(to.right)[0] == 1, "memory of the program");
  over.free();
}

void aggregation(pure::comm world) {
  std::vector<std::uint64_t> table(1000);
  pure::aggregation items(world);
  auto add = items.on<std::uint64_t>([&](std::uint64_t index) { ++table[index]; });
  for (int step = 1; step <= 3; ++step) {
    for (std::uint64_t i = 0; i < 5000; ++i) add.send(i % 1000, static_cast<int>(i) % world.size());
    items.finish();
    std::uint64_t sum = 0;
    for (std::uint64_t& each : table) sum += each;
    expect(world.all_reduce(sum, std::plus{}) == static_cast<std::uint64_t>(5000 * world.size() * step), "items");
  }
}

}  // namespace

int main() {
  constexpr int ranks = 4;
  std::vector<std::vector<double>> rows(ranks, std::vector<double>(100));  // of all ranks: each writes its own
  int total = 0;
  pure::run(ranks, [&](pure::comm world) {
    const neighbours to(world);
    for (int step = 0; step < 5; ++step) {
      rows[static_cast<std::size_t>(world.rank())][0] = step;
      world.barrier();
      expect(rows[static_cast<std::size_t>(to.right)][0] == step, "a neighbour's row");
      world.barrier();
    }
    messages(world);
    collectives(world);
    tasks(world);
    windows(world);
    aggregation(world);
    const int sum = world.all_reduce(world.rank(), std::plus{});
    if (world.rank() == 0) total = sum;
  });
  expect(total == ranks * (ranks - 1) / 2, "what a rank has left behind");  // run has waited for the ranks
  rows[0][0] = 1;
  pure::run(ranks, [&](pure::comm world) { expect(world.rank() != 0 || rows[0][0] == 1, "a second run"); });
  return wrong == 0 ? 0 : 1;
}
