// Serialized objects between ranks of several processes: objects
//
// Every rank sends to the next one, and receives from the one before it. What arrives, what probes say of it, and the
// errors of ends that do not agree are those of ranks of one process (tests/unit/api/cpp/pure_hpp_serialized_test.cpp).
#define PURE_MAIN_RUNS_ONCE
#include <pure/pure.hpp>
#include <pure/serialized.hpp>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "net/refusals.hpp"

namespace {

using net_test::check;
using net_test::neighbours;

struct mesh {
  std::string name;
  std::map<std::string, std::vector<int>> fields;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, fields);
  }
  bool operator==(const mesh&) const = default;
};

/// An object whose archive has no bytes.
struct nothing {
  template <class Archive>
  void serialize(Archive&) {}
};

mesh mesh_of(int rank, std::size_t points) {
  mesh made{"mesh of " + std::to_string(rank), {}};
  made.fields["height"].resize(points);
  std::iota(made.fields["height"].begin(), made.fields["height"].end(), rank);
  return made;
}

std::size_t archive_bytes(const mesh& of) {
  std::ostringstream place;
  cereal::BinaryOutputArchive writing(place);
  writing(of);
  return place.str().size();
}

// Of ints: small; more than PURE_EAGER_LIMIT; more than a packet.
constexpr std::size_t sizes[] = {0, 300, 1000, 100'000};

void whole_and_in_order(const pure::comm& world) {
  const neighbours beside(world);
  const int right = beside.right, left = beside.left;
  for (const std::size_t points : sizes) {
    const std::string where = std::to_string(points) + " points";
    const mesh mine = mesh_of(world.rank(), points), theirs = mesh_of(left, points);
    world.send(pure::serialized(mine), right);
    world.send(7, right);
    mesh changing = mine;
    pure::request sent = world.isend(pure::serialized(changing), right, 5);
    changing = {};  // its bytes have been taken
    world.send(pure::serialized(nothing{}), right, 5);
    mesh got;
    const pure::status what = world.recv_into(pure::serialized(got), left);
    check(got == theirs && what.source() == left && what.bytes() == archive_bytes(theirs), "an object of " + where);
    check(world.recv<int>(left) == 7, "plain data after it");
    check(world.recv_serialized<mesh>(pure::any_source, pure::any_tag) == theirs, "from anybody: " + where);
    nothing empty;
    check(world.recv_into(pure::serialized(empty), left, 5).bytes() == 0, "an empty object");
    sent.wait();
  }
}

void probes(const pure::comm& world) {
  const neighbours beside(world);
  const int right = beside.right, left = beside.left;
  for (const std::size_t points : sizes) {
    const mesh theirs = mesh_of(left, points);
    for (int tag = 0; tag < 3; ++tag) world.send(pure::serialized(mesh_of(world.rank(), points)), right, tag);
    const pure::status there = world.probe(pure::any_source, pure::any_tag);
    check(there.source() == left && there.tag() == 0 && there.bytes() == archive_bytes(theirs), "what a probe says");
    mesh got;
    pure::message found = world.mprobe(left, 1);
    found.recv_into(pure::serialized(got));
    check(got == theirs, "a matched receive");
    check(world.recv_serialized<mesh>(left, 2) == theirs && world.recv_serialized<mesh>(left, 0) == theirs,
          "by tags, in another order");
  }
}

void requests(const pure::comm& world) {
  const neighbours beside(world);
  const int right = beside.right, left = beside.left;
  for (const std::size_t points : sizes) {
    mesh unwanted, got[3];
    pure::request cancelled = world.irecv_into(pure::serialized(unwanted), left, 5000);
    cancelled.cancel();
    check(cancelled.wait().is_cancelled(), "a receive that is cancelled");
    std::vector<pure::request> all;
    for (int tag = 2; tag >= 0; --tag) all.push_back(world.irecv_into(pure::serialized(got[tag]), left, tag));
    for (int tag = 0; tag < 3; ++tag) world.send(pure::serialized(mesh_of(world.rank() + tag, points)), right, tag);
    pure::wait_all(all);
    for (int tag = 0; tag < 3; ++tag) check(got[tag] == mesh_of(left + tag, points), "an object of a request");
  }
}

/// More than rings hold, received in another order than they were sent.
void many(const pure::comm& world) {
  constexpr int messages = 2000;
  const neighbours beside(world);
  const int right = beside.right, left = beside.left;
  std::vector<pure::request> sent;
  for (int i = 0; i < messages; ++i) {
    sent.push_back(world.isend(pure::serialized(mesh_of(i, static_cast<std::size_t>(i % 50))), right, i));
  }
  for (int i = messages; i-- > 0;) {
    check(world.recv_serialized<mesh>(left, i) == mesh_of(i, static_cast<std::size_t>(i % 50)), "one of many");
  }
  pure::wait_all(sent);
}

template <class Call>
void refused(Call call, std::initializer_list<std::string> parts) {
  net_test::refused(pure::errc::type, call, {"objects.cpp:"}, parts);
}

void ends_that_do_not_agree(const pure::comm& world) {
  const neighbours beside(world);
  const int right = beside.right, left = beside.left;
  const std::string me = "rank " + std::to_string(world.rank()), from = "rank " + std::to_string(left);
  for (const std::size_t points : sizes) {
    std::vector<char> room(1'000'000);
    mesh object;
    const mesh mine = mesh_of(world.rank(), points);
    const std::initializer_list<std::string> plain = {me + " received plain data from " + from + ", tag 9",
                                                      "a serialized (anonymous namespace)::mesh"};
    for (int i = 0; i < 4; ++i) world.send(pure::serialized(mine), right, 9);
    refused([&] { world.recv_into(room, left, 9); }, plain);
    refused([&] { (void)world.recv<std::vector<int>>(left, 9); }, plain);
    refused([&] { world.irecv_into(room, pure::any_source, 9).wait(); }, plain);
    refused([&] { world.mprobe(left, 9).recv_into(room); }, plain);
    check(room == std::vector<char>(room.size()), "a buffer of plain data has changed");

    world.send(pure::serialized(mine.fields), right, 9);
    refused([&] { world.recv_into(pure::serialized(object), left, 9); },
            {me, "from " + from + ", tag 9, is a serialized std::map<",
             "asked for a serialized (anonymous namespace)::mesh"});
    world.send(std::vector<char>(points + 1), right, 9);
    refused([&] { world.recv_into(pure::serialized(object), left, 9); },
            {me, "of " + std::to_string(points + 1) + " bytes from " + from + ", tag 9, is plain data"});
    world.send('x', right, 9);
    check(world.recv<char>(left, 9) == 'x', "the next message is in its place");
  }
}

void broadcasts(const pure::comm& world) {
  for (int root = 0; root < world.size(); ++root) {
    for (const std::size_t points : sizes) {
      mesh all = world.rank() == root ? mesh_of(root, points) : mesh{};
      world.bcast(pure::serialized(all), root);
      check(all == mesh_of(root, points), "a broadcast");
    }
  }
  mesh mine;
  std::vector<std::string> other;
  if (world.rank() == 0) return world.bcast(pure::serialized(mine));
  refused([&] { world.bcast(pure::serialized(other)); },
          {"bcast: rank " + std::to_string(world.rank()), "from rank 0", "a serialized (anonymous namespace)::mesh",
           "std::vector<std::"});
}

}  // namespace

int main() {
  pure::run([](const pure::comm& world) {
    whole_and_in_order(world);
    probes(world);
    requests(world);
    many(world);
    ends_that_do_not_agree(world);
    broadcasts(world);
    world.barrier();
    if (world.rank() == 0 && net_test::wrong == 0) std::puts("objects: right");
  });
  return net_test::wrong == 0 ? 0 : 1;
}
