// Errors that PURE_CHECK finds, between ranks of several processes: checked
//
// Every rank sends to the next one, and receives from the one before it; in collectives the last rank is the one that
// differs. Ranks catch each error, compare what it says with the calls of both ends, and go on. Beside each error there
// is its twin, which is none. Errors at the end of a program are those of tests/programs/check_ends.cpp.
#define PURE_MAIN_RUNS_ONCE
#include <pure/pure.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "net/refusals.hpp"

namespace {

using net_test::check;
using net_test::neighbours;
using net_test::refused;
using pure::call_site;
using pure::errc;

struct point {
  int x, y;
};

/// "/checked.cpp:42"
std::string at(const call_site& site) { return "/checked.cpp:" + std::to_string(pure_call_site(site).line); }

// Of elements: small; more than PURE_EAGER_LIMIT; more than a packet.
constexpr std::size_t sizes[] = {1, 700, 50'000};

void types(const pure::comm& world) {
  const neighbours beside(world);
  const int right = beside.right, left = beside.left;
  for (const std::size_t n : sizes) {
    const std::vector<int> ints(n);
    const auto differ = [&](const call_site& sent, const call_site& received, const char* send, const char* sent_type,
                            const auto& receive) {
      refused(errc::type, receive,
              {"rank " + std::to_string(world.rank()) + ": type mismatch: the message from rank " +
                   std::to_string(left) + ", tag 7, was sent as " + sent_type + " by " + send + " at ",
               at(sent) + ", and is received as float by ", at(received) + "; use"});
    };
    std::vector<float> floats(n);
    const call_site sent = call_site::current();
    world.send(std::vector<int>(n), right, 7, sent);  // which does not wait for its receive
    pure::request pending = world.isend(ints, right, 7, sent);
    const call_site received = call_site::current();
    differ(sent, received, "send", "int", [&] { world.recv_into(floats, left, 7, received); });
    differ(sent, received, "isend", "int", [&] { world.mprobe(left, 7).recv_into(floats, received); });
    pending.wait();

    const call_site posted = call_site::current();
    pure::request early = world.irecv_into(floats, pure::any_source, 7, posted);
    pure::request synchronous = world.issend(ints, right, 7, sent);
    differ(sent, posted, "issend", "int", [&] { early.wait(); });
    synchronous.wait();

    const std::vector<point> points(n);
    pure::persistent_request again = world.send_init(points, right, 7);
    again.start(sent);
    differ(sent, received, "start", "a class", [&] { world.recv_into(floats, left, 7, received); });
    again.wait();

    world.send(std::vector<int>(n), right, 7);  // twins
    std::vector<std::int32_t> same(n);
    world.recv_into(same, left, 7);
    world.send(std::vector<point>(n), right, 7);
    check(world.recv<std::vector<point>>(left, 7).size() == n, "points");
  }
}

void buffers(const pure::comm& world) {
  const neighbours beside(world);
  const int right = beside.right, left = beside.left;
  const std::string me = "rank " + std::to_string(world.rank());
  const std::string to = "send to rank " + std::to_string(right), from = "receive from rank " + std::to_string(left);
  for (const std::size_t n : sizes) {
    std::vector<double> data(n), room(n);
    const call_site first = call_site::current();
    pure::request pending = world.irecv_into(room, left, 7, first);
    const call_site second = call_site::current();
    refused(
        errc::buffer, [&] { world.send(room, right, 8, second); },
        {me + ": the buffer of a " + to + ", tag 8, overlaps that of a " + from + ", tag 7", at(first), at(second)});
    world.send(std::vector<double>(n), right, 7);
    pending.wait();
    pure::request free = world.isend(room, right, 8);  // its twin
    (void)world.recv<std::vector<double>>(left, 8);
    free.wait();

    pure::request sent = world.isend(data, right, 7, first);
    data[n - 1] += 1;
    world.barrier();
    (void)world.recv<std::vector<double>>(left, 7);
    refused(
        errc::buffer, [&] { sent.wait(second); },
        {me + ": the buffer of a " + to + ", tag 7, was changed before the send was complete", at(first), at(second)});
    pure::request unchanged = world.isend(data, right, 7);  // its twin
    (void)world.recv<std::vector<double>>(left, 7);
    unchanged.wait();
    data[n - 1] += 1;

    pure::request coming = world.irecv_into(room, left, 7, first);
    room[n - 1] += 1;
    world.barrier();
    const call_site sender = call_site::current();
    world.send(std::vector<double>(n), right, 7, sender);
    refused(errc::buffer, [&] { coming.wait(second); },
            {me + ": the buffer of a " + from + ", tag 7, was changed before the receive was complete", at(first),
             "; send at ", at(sender) + " has sent the message", at(second)});
  }
}

/// A collective that the ranks call at a place of their own.
using collective_call = std::function<void(const call_site&)>;

void collectives(const pure::comm& world) {
  const int last = world.size() - 1;
  const bool is_last = world.rank() == last;
  std::vector<double> in(50'000, 1), out(50'000);
  const auto first = [](std::vector<double>& of, std::size_t n) { return std::span(of).first(n); };
  const auto sum = std::plus<>();
  const auto sums = [&](std::size_t n) {
    return [&, n](const call_site& site) { world.all_reduce_into(first(in, n), first(out, n), sum, site); };
  };
  const auto started_sums = [&](std::size_t n) {
    return [&, n](const call_site& site) { world.iall_reduce_into(first(in, n), first(out, n), sum, site).wait(); };
  };
  const auto persistent_sums = [&](std::size_t n) {
    return [&, n](const call_site& site) {
      pure::persistent_request again = world.all_reduce_init(first(in, n), first(out, n), sum, site);
      again.start();
      again.wait();
    };
  };
  const auto shared = [&](std::size_t n, int root) {
    return [&, n, root](const call_site& site) { world.bcast(first(in, n), root, site); };
  };
  struct disagreement {
    const char* problem;
    const char* usual;  // what it is called
    collective_call by_others;
    const char* differing;
    collective_call by_last;
  };
  const disagreement all[] = {
      {"different collectives", "all_reduce_into", sums(4), "barrier",
       [&](const call_site& site) { world.barrier(site); }},
      {"different collectives", "bcast", shared(4, 0), "scan_into",
       [&](const call_site& site) { world.scan_into(first(in, 4), first(out, 4), sum, site); }},
      {"different roots, 0 and 1", "bcast", shared(4, 0), "bcast", shared(4, 1)},
      {"different operators or types", "all_reduce_into", sums(4), "all_reduce_into",
       [&](const call_site& site) { world.all_reduce_into(first(in, 4), first(out, 4), pure::max{}, site); }},
      {"different types", "bcast", shared(4, 0), "bcast",
       [&](const call_site& site) {
         std::vector<std::int64_t> others(4);
         world.bcast(others, 0, site);
       }},
      {"different counts or types, 32 and 40 bytes", "all_reduce_into", sums(4), "all_reduce_into", sums(5)},
      {"different counts or types, 400000 and 0 bytes", "all_reduce_into", sums(50'000), "all_reduce_into", sums(0)},
      {"different counts or types, 32 and 40 bytes", "iall_reduce_into", started_sums(4), "all_reduce_into", sums(5)},
      {"different counts or types, 0 and 400000 bytes", "iall_reduce_into", started_sums(0), "iall_reduce_into",
       started_sums(50'000)},
      {"different collectives", "ibarrier", [&](const call_site& site) { world.ibarrier(site).wait(); },
       "iall_reduce_into", started_sums(50'000)},
      {"different counts or types, 32 and 24 bytes", "all_reduce_init", persistent_sums(4), "all_reduce_init",
       persistent_sums(3)},
      {"different counts or types, 0 and 400000 bytes", "all_reduce_init", persistent_sums(0), "all_reduce_init",
       persistent_sums(50'000)},
  };
  for (const disagreement& each : all) {
    const call_site of_others = call_site::current();
    const call_site of_last = call_site::current();
    refused(errc::mismatch, [&] { is_last ? each.by_last(of_last) : each.by_others(of_others); },
            {each.problem, std::string("\n  rank 0: ") + each.usual + " at ", at(of_others),
             "\n  rank " + std::to_string(last) + ": " + each.differing + " at ", at(of_last)});
    each.by_others(of_others);  // its twins: the communicator is as good as before
    each.by_last(of_last);
  }

  // One of several that are in flight; the others take place.
  std::vector<double> before(3), after(700);
  pure::request one = world.iall_reduce_into(first(in, 3), before, sum);
  const std::size_t n = is_last ? 5 : 4;
  pure::request two = world.iall_reduce_into(first(in, n), first(out, n), sum);
  pure::request three = world.iall_reduce_into(first(in, 700), after, sum);
  three.wait();
  refused(errc::mismatch, [&] { two.wait(); }, {"32 and 40 bytes"});
  one.wait();
  check(before == std::vector<double>(3, world.size()) && after == std::vector<double>(700, world.size()),
        "sums beside one that is refused");
}

int run_on(const pure::comm& world) {
  types(world);
  buffers(world);
  collectives(world);
  collectives(world.split(world.rank() % 2 == 0 || world.size() < 4 ? 0 : 1));
  world.barrier();
  if (world.rank() == 0 && net_test::wrong == 0) std::puts("checked: right");
  return net_test::wrong == 0 ? 0 : 1;
}

}  // namespace

int main() {
  return pure::run([](const pure::comm& world) { return run_on(world); });
}
