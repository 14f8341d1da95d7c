// For tests/errors: one wrong collective, of a program whose main is run by every rank.
//
// usage: bad_collective WHAT. What the library then says is in the script.
#include <pure.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr pure_comm world = PURE_COMM_WORLD;
constexpr auto no_type = static_cast<pure_datatype>(99);
constexpr auto no_op = static_cast<pure_op>(99);
constexpr int large = 50'000;
thread_local double x[large], y[large];
thread_local std::vector<std::int64_t> counts, displs;  // one element for each rank

void wait_for_ever() { pure_recv_msg(x, 1, PURE_DOUBLE, 1, 3, world); }
void all_reduce() { pure_allreduce(x, y, 4, PURE_DOUBLE, PURE_SUM, world); }
void all_reduce_many() { pure_allreduce(x, y, large, PURE_DOUBLE, PURE_SUM, world); }
void broadcast() { pure_bcast(x, 4, PURE_DOUBLE, 0, world); }
void start_and_wait_for_all_reduce() {
  pure_request request;
  pure_iallreduce(x, y, 4, PURE_DOUBLE, PURE_SUM, world, &request);
  pure_wait(&request);
}
void all_reduce_persistently(std::int64_t count, pure_call_site site) {
  pure_request request;
  pure_allreduce_init(x, y, count, PURE_DOUBLE, PURE_SUM, world, &request, site);
  pure_start(&request);
  pure_wait(&request);
}
void allocate(int unit) {
  pure_win made;
  void* base = nullptr;
  pure_win_allocate(64, unit, PURE_INFO_NULL, world, &base, &made);
}
void split(int color) {
  pure_comm made;
  pure_comm_split(world, color, 0, &made);
}
void aggregate(std::int64_t cap) {
  pure_agg made;
  pure_agg_options options;
  options.memory_cap = cap;
  pure_agg_create(world, &options, &made);
}
void copy_last(const void*, void*, std::int64_t, pure_datatype) {}

struct bad_call {
  const char* name;
  void (*by_rank_1)();
  void (*by_others)() = wait_for_ever;
};

// The two calls of a case are on lines of their own: errors tell them apart.
constexpr bad_call calls[] = {
    // Ranks that disagree.
    {"kind", [] { pure_barrier(world); }, all_reduce},
    {"kind_of_rooted", [] { pure_scan(x, y, 4, PURE_DOUBLE, PURE_SUM, world); }, broadcast},
    {"kind_nonblocking",
     [] {
       pure_request request;
       pure_ibarrier(world, &request);
       pure_wait(&request);
     },
     start_and_wait_for_all_reduce},
    {"roots", [] { pure_bcast(x, 4, PURE_DOUBLE, 1, world); }, broadcast},
    {"ops", [] { pure_allreduce(x, y, 4, PURE_DOUBLE, PURE_MAX, world); }, all_reduce},
    {"user_op",
     [] {
       pure_op op;
       pure_op_create(copy_last, false, &op);
       pure_allreduce(x, y, 4, PURE_DOUBLE, op, world);
     },
     all_reduce},
    {"types", [] { pure_allreduce(x, y, 4, PURE_INT64_T, PURE_SUM, world); }, all_reduce},
    {"counts", [] { pure_allreduce(x, y, 5, PURE_DOUBLE, PURE_SUM, world); }, all_reduce},
    {"counts_many", [] { pure_allreduce(x, y, large - 1, PURE_DOUBLE, PURE_SUM, world); }, all_reduce_many},
    {"counts_of_bcast", [] { pure_bcast(x, 3, PURE_DOUBLE, 0, world); }, broadcast},
    {"counts_nonblocking",
     [] {
       pure_request request;
       pure_iallreduce(x, y, 5, PURE_DOUBLE, PURE_SUM, world, &request);
       pure_wait(&request);
     },
     start_and_wait_for_all_reduce},
    {"counts_persistent", [] { all_reduce_persistently(5, pure_call_site::current()); },
     [] { all_reduce_persistently(4, pure_call_site::current()); }},

    {"block_of_gather", [] { pure_gather(x, 5, PURE_DOUBLE, y, 5, PURE_DOUBLE, 0, world); },
     [] { pure_gather(x, 4, PURE_DOUBLE, y, 4, PURE_DOUBLE, 0, world); }},
    {"block_of_alltoall", [] { pure_alltoall(x, 5, PURE_DOUBLE, y, 5, PURE_DOUBLE, world); },
     [] { pure_alltoall(x, 4, PURE_DOUBLE, y, 4, PURE_DOUBLE, world); }},

    // Arguments that are wrong by themselves.
    {"root_too_large", [] { pure_bcast(x, 4, PURE_DOUBLE, 99, world); }},
    {"root_negative", [] { pure_reduce(x, y, 4, PURE_DOUBLE, PURE_SUM, -1, world); }},
    {"root_of_igather",
     [] {
       pure_request request;
       pure_igather(x, 1, PURE_DOUBLE, y, 1, PURE_DOUBLE, 99, world, &request);
     }},
    {"root_of_scatter_init",
     [] {
       pure_request request;
       pure_scatter_init(x, 1, PURE_DOUBLE, y, 1, PURE_DOUBLE, 99, world, &request);
     }},
    {"count", [] { pure_allreduce(x, y, -2, PURE_DOUBLE, PURE_SUM, world); }},
    {"count_of_rank",
     [] {
       counts.back() = -3;
       pure_allgatherv(x, 1, PURE_DOUBLE, y, counts.data(), displs.data(), PURE_DOUBLE, world);
     }},
    {"no_counts", [] { pure_allgatherv(x, 1, PURE_DOUBLE, y, nullptr, displs.data(), PURE_DOUBLE, world); }},
    {"no_displs", [] { pure_allgatherv(x, 1, PURE_DOUBLE, y, counts.data(), nullptr, PURE_DOUBLE, world); }},
    {"type", [] { pure_bcast(x, 4, no_type, 0, world); }},
    {"op", [] { pure_allreduce(x, y, 4, PURE_DOUBLE, no_op, world); }},
    {"null_op", [] { pure_allreduce(x, y, 4, PURE_DOUBLE, PURE_OP_NULL, world); }},
    {"op_of_type", [] { pure_allreduce(x, y, 4, PURE_DOUBLE, PURE_BAND, world); }},
    {"op_of_char", [] { pure_allreduce(x, y, 4, PURE_CHAR, PURE_SUM, world); }},
    {"freed_op",
     [] {
       pure_op op, copy;
       pure_op_create(copy_last, false, &op);
       copy = op;
       pure_op_free(&op);
       pure_allreduce(x, y, 4, PURE_DOUBLE, copy, world);
     }},
    {"null_function",
     [] {
       pure_op op;
       pure_op_create(nullptr, true, &op);
     }},
    {"free_sum",
     [] {
       pure_op op = PURE_SUM;
       pure_op_free(&op);
     }},
    {"null_send", [] { pure_allreduce(nullptr, y, 4, PURE_DOUBLE, PURE_SUM, world); }},
    {"null_recv", [] { pure_allreduce(x, nullptr, 4, PURE_DOUBLE, PURE_SUM, world); }},
    {"null_data", [] { pure_bcast(nullptr, 4, PURE_DOUBLE, 0, world); }},
    {"overlap", [] { pure_allreduce(x, x + 3, 4, PURE_DOUBLE, PURE_SUM, world); }},
    {"same_buffer", [] { pure_scan(x, x, 4, PURE_DOUBLE, PURE_SUM, world); }},
    {"overlap_of_blocks", [] { pure_allgather(x + 1, 1, PURE_DOUBLE, x, 1, PURE_DOUBLE, world); }},
    {"overlap_nonblocking",
     [] {
       pure_request request;
       pure_ialltoall(x + 1, 1, PURE_DOUBLE, x, 1, PURE_DOUBLE, world, &request);
     }},
    {"in_place_elsewhere", [] { pure_reduce(PURE_IN_PLACE, y, 4, PURE_DOUBLE, PURE_SUM, 0, world); }},
    {"null_comm", [] { pure_barrier(PURE_COMM_NULL); }},
    {"freed_comm",
     [] {
       pure_comm made, copy;
       pure_comm_dup(world, &made);
       copy = made;
       pure_comm_free(&made);
       pure_barrier(copy);
     },
     [] {
       pure_comm made;
       pure_comm_dup(world, &made);
       wait_for_ever();
     }},
    {"null_request", [] { pure_ibarrier(world, nullptr); }},
    {"started_twice",
     [] {
       pure_request request;
       pure_barrier_init(world, &request);
       pure_start(&request);
       pure_start(&request);
     }},
    {"start_of_null",
     [] {
       pure_request request = PURE_REQUEST_NULL;
       pure_start(&request);
     }},
    {"start_of_nonblocking",
     [] {
       pure_request request;
       pure_ibarrier(world, &request);
       pure_start(&request);
     }},
    {"sum_of_int", [] { pure_reproducible_sum(x, 4, PURE_INT, y, world); }},

    // Of calls by which all ranks make something: everybody gets the error, and who is first ends the job.
    {"unit_of_window", [] { allocate(0); }, [] { allocate(8); }},
    {"color", [] { split(-3); }, [] { split(0); }},
    {"cap_of_aggregation", [] { aggregate(-1); }, [] { aggregate(1 << 20); }},

    // Ranks that leave the others alone.
    {"left_alone", [] {}, [] { pure_barrier(world); }},
    {"left_alone_in_allreduce", [] { wait_for_ever(); }, all_reduce_many},
};

}  // namespace

int main(int argc, char** argv) {
  counts.assign(static_cast<std::size_t>(pure_size()), 1);
  for (int r = 0; r < pure_size(); ++r) displs.push_back(r);
  for (const bad_call& each : calls) {
    if (argc > 1 && std::strcmp(argv[1], each.name) == 0) {
      pure_rank() == 1 ? each.by_rank_1() : each.by_others();
      return 0;
    }
  }
  std::puts("bad_collective WHAT");
  return 77;
}
