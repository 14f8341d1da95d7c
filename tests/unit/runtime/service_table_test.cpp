// The services of one worker: each in its slot, driven and ended in the order of attaching, and none in another's
// place.
#include "runtime/service_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pure::core {
namespace {

using names = std::vector<std::string>;

/// Notes each call of its own.
class noting_service : public service {
 public:
  noting_service(std::string name, names& calls) : name_(std::move(name)), calls_(calls) {}
  ~noting_service() override { note("destroyed"); }
  bool advance() override { return note("advance"); }
  bool before_sleep() override { return note("before_sleep"); }
  bool end_main() noexcept override { return note("end_main"); }
  void close() noexcept override { note("close"); }
  [[nodiscard]] bool acts_for_others() const noexcept override { return is_busy; }

  bool is_busy = false;  // what its calls return

 protected:
  bool note(const char* what) {
    calls_.push_back(name_ + "." + what);
    return is_busy;
  }

 private:
  const std::string name_;
  names& calls_;
};

class idle_service final : public noting_service {
 public:
  using noting_service::noting_service;
  [[nodiscard]] bool advances() const noexcept override { return false; }
};

class helping_service final : public noting_service {
 public:
  using noting_service::noting_service;
  [[nodiscard]] bool helps_others() const noexcept override { return true; }
  bool help_others() override { return note("help_others"); }
};

class copying_service final : public noting_service {
 public:
  using noting_service::noting_service;
  [[nodiscard]] bool helps_receivers() const noexcept override { return true; }
  void help_receivers() noexcept override { note("help_receivers"); }
};

class service_table_test : public testing::Test {
 protected:
  template <class Service = noting_service>
  Service& attach(int slot, const std::string& name) {
    auto made = std::make_unique<Service>(name, calls_);
    Service& attached = *made;
    table_.attach(service_slot(slot), std::move(made));
    return attached;
  }
  names calls() { return std::exchange(calls_, {}); }

  names calls_;
  service_table table_;
};

TEST_F(service_table_test, each_is_found_in_its_slot) {
  const service& first = attach(0, "first");
  const service& last = attach(service_slot::most - 1, "last");
  EXPECT_EQ(table_.at(service_slot(0)), &first);
  EXPECT_EQ(table_.at(service_slot(service_slot::most - 1)), &last);
  EXPECT_EQ(table_.at(service_slot(1)), nullptr);
}

TEST_F(service_table_test, all_slots_may_be_taken) {
  for (int slot = 0; slot < service_slot::most; ++slot) attach(slot, std::to_string(slot));
  table_.advance();
  EXPECT_EQ(calls().size(), std::size_t{service_slot::most});
}

TEST_F(service_table_test, the_order_is_that_of_attaching_and_of_the_end_its_reverse) {
  attach(5, "a");
  attach<idle_service>(2, "b");
  attach(4, "c");
  EXPECT_FALSE(table_.advance());
  EXPECT_EQ(calls(), names({"a.advance", "c.advance"}));
  EXPECT_FALSE(table_.settle_before_sleep());
  EXPECT_EQ(calls(), names({"a.before_sleep", "c.before_sleep"}));
  EXPECT_FALSE(table_.end_main());
  EXPECT_EQ(calls(), names({"a.end_main", "b.end_main", "c.end_main"}));
  table_.close_all();
  EXPECT_EQ(calls(), names({"a.close", "b.close", "c.close"}));
  table_.destroy_all();
  EXPECT_EQ(calls(), names({"c.destroyed", "b.destroyed", "a.destroyed"}));
}

TEST_F(service_table_test, nothing_is_left_to_drive_when_all_are_destroyed) {
  attach<helping_service>(1, "helper").is_busy = true;
  attach<copying_service>(2, "copier");
  table_.destroy_all();
  calls();
  EXPECT_FALSE(table_.advance());
  EXPECT_FALSE(table_.help_others());
  table_.help_receivers();
  EXPECT_EQ(calls(), names());
  EXPECT_EQ(table_.at(service_slot(1)), nullptr);
  attach<helping_service>(1, "again");
}

TEST_F(service_table_test, one_that_moves_is_enough_and_all_are_asked) {
  attach(0, "a").is_busy = true;
  attach(1, "b");
  EXPECT_TRUE(table_.advance());
  EXPECT_TRUE(table_.settle_before_sleep());
  EXPECT_TRUE(table_.end_main());
  EXPECT_TRUE(table_.acts_for_others());
  EXPECT_EQ(calls(), names({"a.advance", "b.advance", "a.before_sleep", "b.before_sleep", "a.end_main", "b.end_main"}));
}

TEST_F(service_table_test, who_helps_is_asked_and_nobody_else) {
  EXPECT_FALSE(table_.help_others());
  attach(0, "other");
  helping_service& helper = attach<helping_service>(1, "helper");
  attach<copying_service>(2, "copier");
  EXPECT_FALSE(table_.help_others());
  helper.is_busy = true;
  EXPECT_TRUE(table_.help_others());
  table_.help_receivers();
  EXPECT_EQ(calls(), names({"helper.help_others", "helper.help_others", "copier.help_receivers"}));
}

template <class Attach>
std::string refusal(Attach attach) {
  try {
    attach();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST_F(service_table_test, a_second_one_for_a_slot_is_refused_with_both_names) {
  const service& first = attach(3, "first");
  const std::string text = refusal([&] { attach<idle_service>(3, "second"); });
  EXPECT_NE(text.find("slot 3"), std::string::npos) << text;
  EXPECT_NE(text.find("noting_service"), std::string::npos) << text;
  EXPECT_NE(text.find("idle_service"), std::string::npos) << text;
  EXPECT_EQ(table_.at(service_slot(3)), &first);
}

TEST_F(service_table_test, so_is_a_second_one_that_helps) {
  attach<helping_service>(0, "helper");
  attach<copying_service>(1, "copier");
  EXPECT_NE(refusal([&] { attach<helping_service>(2, "second"); }), "");
  EXPECT_NE(refusal([&] { attach<copying_service>(3, "second"); }), "");
  calls();
  table_.advance();
  EXPECT_EQ(calls(), names({"helper.advance", "copier.advance"}));
}

TEST(service_slot_test, has_no_number_that_the_table_has_not) {
  EXPECT_THROW(service_slot(-1), std::out_of_range);
  EXPECT_THROW(service_slot{service_slot::most}, std::out_of_range);
  EXPECT_EQ(service_slot(service_slot::most - 1).number(), service_slot::most - 1);
}

}  // namespace
}  // namespace pure::core
