// pure::serialized: objects of any type in messages; and the two ends that do not agree.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include <pure.h>
#include <pure/pure.hpp>
#include <pure/serialized.hpp>

namespace {

struct person {
  std::string name;
  std::map<std::string, std::vector<int>> marks;
  std::unique_ptr<person> friend_of;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, marks, friend_of);
  }
};

bool operator==(const person& a, const person& b) {
  if (a.name != b.name || a.marks != b.marks) return false;
  if (a.friend_of == nullptr || b.friend_of == nullptr) return a.friend_of == b.friend_of;
  return *a.friend_of == *b.friend_of;
}

person somebody(int seed, std::size_t marks) {
  person made{"Ada " + std::to_string(seed), {}, std::make_unique<person>()};
  made.friend_of->name = "Charles";
  made.marks["algebra"].resize(marks);
  std::iota(made.marks["algebra"].begin(), made.marks["algebra"].end(), seed);
  made.marks["poetry"] = {};
  return made;
}

/// Writes fewer bytes than it reads.
struct truncated {
  std::vector<int> values;
  template <class Archive>
  void save(Archive& archive) const {
    archive(std::uint64_t{1000});
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(values);
  }
};

/// Reads fewer than it writes.
struct halved {
  int first = 1, second = 2;
  template <class Archive>
  void save(Archive& archive) const {
    archive(first, second);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(first);
  }
};

/// Reads a number of elements that no memory holds.
struct huge {
  std::vector<int> values;
  template <class Archive>
  void save(Archive& archive) const {
    archive(std::uint64_t{1} << 62);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(values);
  }
};

constexpr std::size_t numbers_of_marks[] = {0, 1, 300, 100'000};  // of ints: below the eager limit, and beyond

/// The text of what `function` throws as pure::Error of that code.
template <class Function>
std::string error_of(pure::errc code, Function function) {
  try {
    function();
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find("pure_hpp_serialized_test.cpp"), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* const part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

TEST(pure_hpp_serialized, objects_arrive_whole_and_in_order) {
  for (const int ranks : {1, 2, 3, 4}) {
    pure::run(ranks, [](pure::comm world) {
      const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
      for (const std::size_t n : numbers_of_marks) {
        const person mine = somebody(world.rank(), n), theirs = somebody(left, n);
        world.send(pure::serialized(mine), right);
        world.send(7, right);  // plain data in the same order
        pure::request sent = world.isend(pure::serialized(mine), right, 5);
        person got;
        const pure::status what = world.recv_into(pure::serialized(got), left);
        EXPECT_TRUE(got == theirs) << n;
        EXPECT_EQ(what.source(), left);
        EXPECT_GE(what.bytes(), n * sizeof(int));
        EXPECT_EQ(world.recv<int>(left), 7);
        EXPECT_TRUE(world.recv_serialized<person>(pure::any_source, pure::any_tag) == theirs) << n;
        sent.wait();
      }
    });
  }
}

TEST(pure_hpp_serialized, temporaries_go_and_nothing_is_shared) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      world.send(pure::serialized(somebody(3, 10)), 1);
      person changing = somebody(4, 10);
      const pure::request sent = world.isend(pure::serialized(changing), 1);
      changing.friend_of->name = "somebody else";  // its bytes have been taken
      changing.marks.clear();
    } else {
      EXPECT_TRUE(world.recv_serialized<person>() == somebody(3, 10));
      EXPECT_TRUE(world.recv_serialized<person>() == somebody(4, 10));
    }
  });
}

TEST(pure_hpp_serialized, a_request_fills_the_object_when_it_is_completed) {
  for (const std::size_t n : numbers_of_marks) {
    pure::run(2, [n](pure::comm world) {
      if (world.rank() == 0) {
        for (int i = 0; i < 4; ++i) world.send(pure::serialized(somebody(i, n)), 1, i);
        return;
      }
      std::vector<person> got(4);
      std::vector<pure::request> all;
      for (int i = 3; i >= 0; --i) {
        all.push_back(world.irecv_into(pure::serialized(got[static_cast<std::size_t>(i)]), 0, i));
      }
      while (!all[0].peek()) {
      }
      EXPECT_TRUE(got[3] == person{}) << "a look does not complete it";
      EXPECT_EQ(all[0].wait().tag(), 3);
      EXPECT_EQ(all[0].wait().tag(), 3) << "again";
      while (!all[1].test()) {
      }
      EXPECT_TRUE(got[2] == somebody(2, n));
      pure::wait_all(all);
      for (int i = 0; i < 4; ++i) EXPECT_TRUE(got[static_cast<std::size_t>(i)] == somebody(i, n)) << i;
    });
  }
}

TEST(pure_hpp_serialized, a_receive_is_cancelled_or_withdrawn) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 1) {
      person kept = somebody(1, 1);
      {
        pure::request unwanted = world.irecv_into(pure::serialized(kept), 0);
        unwanted.cancel();
        EXPECT_TRUE(unwanted.wait().is_cancelled());
        const pure::request left_alone = world.irecv_into(pure::serialized(kept), 0);
      }
      EXPECT_TRUE(kept == somebody(1, 1));
      world.send('x', 0);
      EXPECT_TRUE(world.recv_serialized<person>(0) == somebody(2, 5));
      world.recv_into(pure::serialized(kept), pure::proc_null);
      world.irecv_into(pure::serialized(kept), pure::proc_null).wait();
      world.send(pure::serialized(kept), pure::proc_null);
      EXPECT_TRUE(kept == somebody(1, 1)) << "from nobody";
    } else {
      EXPECT_EQ(world.recv<char>(1), 'x');
      world.send(pure::serialized(somebody(2, 5)), 1);
    }
  });
}

TEST(pure_hpp_serialized, probes_find_them) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      for (int i = 0; i < 3; ++i) world.send(pure::serialized(somebody(i, 500)), 1, i);
      return;
    }
    const pure::status there = world.probe(0, pure::any_tag);
    EXPECT_GE(there.bytes(), 500 * sizeof(int));
    person got;
    pure::message found = world.mprobe(0, 1);
    found.recv_into(pure::serialized(got));
    EXPECT_TRUE(got == somebody(1, 500));
    EXPECT_TRUE(world.recv_serialized<person>(0, 0) == somebody(0, 500));
    EXPECT_TRUE(world.recv_serialized<person>(0, 2) == somebody(2, 500));
  });
}

TEST(pure_hpp_serialized, a_broadcast_gives_the_roots_object) {
  for (const int ranks : {1, 2, 3, 4}) {
    pure::run(ranks, [](pure::comm world) {
      for (int root = 0; root < world.size(); ++root) {
        for (const std::size_t n : numbers_of_marks) {
          person all = world.rank() == root ? somebody(root, n) : person{};
          world.bcast(pure::serialized(all), root);
          EXPECT_TRUE(all == somebody(root, n));
        }
      }
    });
  }
  pure::run(2, [](pure::comm world) {
    person mine;
    std::map<int, std::string> other;
    if (world.rank() == 0) return world.bcast(pure::serialized(mine));
    expect_in(error_of(pure::errc::type, [&] { world.bcast(pure::serialized(other)); }),
              {"bcast: rank 1", "from rank 0", "person", "std::map<int,"});
  });
}

TEST(pure_hpp_serialized, a_plain_receive_refuses_an_object) {
  pure::run(2, [](pure::comm world) {
    for (const std::size_t n : numbers_of_marks) {
      if (world.rank() == 0) {
        for (int i = 0; i < 6; ++i) world.send(pure::serialized(somebody(i, n)), 1, 9);
        world.send(pure::serialized(std::vector<int>{1, 2}), 1, 9);
        world.send('x', 1, 9);
        continue;
      }
      const auto says = {"rank 1 received plain data from rank 0, tag 9", "serialized (anonymous namespace)::person",
                         "recv_into(pure::serialized(object)"};
      std::vector<char> room(1'000'000);
      expect_in(error_of(pure::errc::type, [&] { world.recv_into(room, 0, 9); }), says);
      expect_in(error_of(pure::errc::type, [&] { (void)world.recv<std::vector<char>>(0, 9); }), says);
      expect_in(error_of(pure::errc::type, [&] { (void)world.recv<int>(0, 9); }), says);
      expect_in(error_of(pure::errc::type, [&] { world.irecv_into(room, pure::any_source, 9).wait(); }), says);
      expect_in(error_of(pure::errc::type, [&] { world.mprobe(0, 9).recv_into(room); }), says);
      pure::persistent_request again = world.recv_init(room, 0, 9);
      again.start();
      expect_in(error_of(pure::errc::type, [&] { again.wait(); }), says);
      EXPECT_EQ(room, std::vector<char>(room.size())) << "untouched";
      expect_in(error_of(pure::errc::type, [&] { (void)world.recv<std::vector<int>>(0, 9); }),
                {"serialized std::vector<int"});
      EXPECT_EQ(world.recv<char>(0, 9), 'x') << "the next message is in its place";
    }
  });
}

TEST(pure_hpp_serialized, a_receive_of_an_object_refuses_plain_data_and_other_objects) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      for (const std::size_t n : numbers_of_marks) world.send(std::vector<int>(n), 1, 3);  // moved, and empty
      const std::vector<int> kept(numbers_of_marks[3]);
      for (const std::size_t n : numbers_of_marks) world.send(std::span(kept.data(), n), 1, 3);
      world.send(std::string("text"), 1, 3);
      world.send(pure::serialized(std::map<int, std::string>{{1, "one"}}), 1, 3);
      world.send(pure::serialized(somebody(1, 1)), 1, 3);
      return;
    }
    person got;
    for (std::size_t i = 0; i < 9; ++i) {
      const std::size_t bytes = i == 8 ? 4 : numbers_of_marks[i % 4] * sizeof(int);
      expect_in(error_of(pure::errc::type, [&] { world.recv_into(pure::serialized(got), 0, 3); }),
                {"recv_into: rank 1", "from rank 0, tag 3, is plain data", "asked for a serialized", "person",
                 ("message of " + std::to_string(bytes) + " bytes").c_str()});
    }
    expect_in(error_of(pure::errc::type, [&] { world.irecv_into(pure::serialized(got), 0, 3).wait(); }),
              {"irecv_into: rank 1", "from rank 0, tag 3, is a serialized std::map<int,", "person"});
    world.recv_into(pure::serialized(got), 0, 3);
    EXPECT_TRUE(got == somebody(1, 1)) << "the next message is in its place";
  });
}

TEST(pure_hpp_serialized, an_archive_that_does_not_fit_its_object_is_an_error) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) {
      world.send(pure::serialized(truncated{}), 1);
      world.send(pure::serialized(halved{}), 1);
      world.send(pure::serialized(huge{}), 1);
      return;
    }
    expect_in(error_of(pure::errc::type, [&] { (void)world.recv_serialized<truncated>(0); }),
              {"truncated from rank 0", "of 8 bytes, cannot be read back by rank 1", "Failed to read"});
    expect_in(error_of(pure::errc::type, [&] { (void)world.recv_serialized<halved>(0); }),
              {"halved from rank 0", "some of its bytes have not been read"});
    expect_in(error_of(pure::errc::type, [&] { (void)world.recv_serialized<huge>(0); }), {"huge from rank 0"});
  });
}

TEST(pure_hpp_serialized, the_c_interface_refuses_them_too) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 0) return world.send(pure::serialized(somebody(1, 1)), 1);
    pure_set_errhandler(PURE_ERRORS_RETURN);
    char room[1000];
    EXPECT_EQ(pure_recv_msg(room, sizeof room, PURE_BYTE, 0, 0, PURE_COMM_WORLD), PURE_ERR_TYPE);
    expect_in(pure_last_error(), {"pure_recv_msg", "serialized", "person"});
  });
}

TEST(pure_hpp_serialized, nobody_receives_them_and_nothing_leaks) {
  pure::run(2, [](pure::comm world) {  // the sanitizers look
    if (world.rank() == 0) {
      for (int i = 0; i < 5; ++i) world.send(pure::serialized(somebody(i, 1000)), 1, i);
    } else {
      EXPECT_TRUE(world.recv_serialized<person>(0, 3) == somebody(3, 1000)) << "the others are unexpected messages now";
    }
  });
}

}  // namespace
