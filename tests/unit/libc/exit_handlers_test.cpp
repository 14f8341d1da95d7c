// In which order a rank's handlers run, and that each runs once.
#include "libc/exit_handlers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace {

using pure::core::exit_handlers;

// What has run. The handlers are functions without a place for it.
std::string said;
exit_handlers* running = nullptr;

void say_text(void* text) { said += static_cast<const char*>(text); }
void say_status(int status, void* text) { said += static_cast<const char*>(text) + std::to_string(status); }
char* text(const char* of) { return const_cast<char*>(of); }

class exit_handlers_test : public testing::Test {
 protected:
  exit_handlers_test() {
    said.clear();
    running = &handlers;
  }
  exit_handlers handlers;
  int one = 0, other = 0;  // objects
};

TEST_F(exit_handlers_test, the_latest_runs_first_and_thread_local_objects_before_all) {
  handlers.add(say_text, text("a"), nullptr);
  handlers.add_of_thread(say_text, text("x"), nullptr);
  handlers.add_with_status(say_status, text("b"));
  handlers.add_of_thread(say_text, text("y"), nullptr);
  handlers.add(say_text, text("c"), nullptr);
  handlers.run(7);
  EXPECT_EQ(said, "yxcb7a");
  handlers.run(7);
  EXPECT_EQ(said, "yxcb7a") << "once";
}

TEST_F(exit_handlers_test, what_a_handler_adds_runs_next) {
  handlers.add(say_text, text("a"), nullptr);
  handlers.add([](void*) { running->add(say_text, text("new "), nullptr); }, nullptr, nullptr);
  handlers.add_of_thread([](void*) { running->add_of_thread(say_text, text("late "), nullptr); }, nullptr, nullptr);
  handlers.run(0);
  EXPECT_EQ(said, "late new a");
}

// exit in a handler: the others follow, and the handler itself does not come again.
TEST_F(exit_handlers_test, a_handler_may_run_the_others) {
  handlers.add(say_text, text("a"), nullptr);
  handlers.add([](void*) { running->run(3); }, nullptr, nullptr);
  handlers.add_with_status(say_status, text("b"));
  handlers.run(0);
  EXPECT_EQ(said, "b0a");
}

TEST_F(exit_handlers_test, a_library_is_known_to_have_thread_local_objects_until_they_are_destroyed) {
  char library[8];
  const auto begin = reinterpret_cast<std::uint64_t>(library), end = begin + sizeof library;
  EXPECT_FALSE(handlers.has_of_threads(begin, end));
  handlers.add_of_thread(say_text, text("x"), &library[7]);
  EXPECT_TRUE(handlers.has_of_threads(begin, end));
  EXPECT_FALSE(handlers.has_of_threads(begin, end - 1));
  handlers.run(0);
  EXPECT_FALSE(handlers.has_of_threads(begin, end));
  for (int i = 0; i < 2; ++i) handlers.begin_of_other_thread(library);
  handlers.end_of_other_thread(library);
  EXPECT_TRUE(handlers.has_of_threads(begin, end));
  handlers.end_of_other_thread(library);
  EXPECT_FALSE(handlers.has_of_threads(begin, end));
}

TEST_F(exit_handlers_test, those_of_quick_exit_are_others) {
  handlers.add(say_text, text("a"), nullptr);
  handlers.add_quick([](void*) { said += "first "; }, nullptr);
  handlers.add_quick([](void*) { said += "last "; }, nullptr);
  handlers.run(0);
  EXPECT_EQ(said, "a");
  handlers.run_quick();
  EXPECT_EQ(said, "alast first ");
}

TEST_F(exit_handlers_test, an_object_that_goes_has_its_own_run) {
  handlers.add(say_text, text("a"), &one);
  handlers.add(say_text, text("b"), &other);
  handlers.add(say_text, text("c"), &one);
  handlers.add_with_status(say_status, text("d"));
  handlers.run_of(&one);
  EXPECT_EQ(said, "ca");
  handlers.run_of(&one);
  EXPECT_EQ(said, "ca");
  handlers.run(1);
  EXPECT_EQ(said, "cad1b");
}

// As libc's __cxa_finalize(NULL).
TEST_F(exit_handlers_test, no_object_means_all) {
  handlers.add(say_text, text("a"), &one);
  handlers.add(say_text, text("b"), nullptr);
  handlers.run_of(nullptr);
  EXPECT_EQ(said, "ba");
}

TEST_F(exit_handlers_test, any_thread_may_add) {
  constexpr int threads = 4, each_adds = 500;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&] {
      for (int n = 0; n < each_adds; ++n) handlers.add(say_text, text("."), nullptr);
    });
  }
  for (std::thread& each : all) each.join();
  handlers.run(0);
  EXPECT_EQ(said.size(), std::size_t{threads} * each_adds);
}

}  // namespace
