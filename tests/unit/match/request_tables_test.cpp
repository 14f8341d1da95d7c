// The tables of requests: every kind is found by its handle alone, and nothing else is.
#include "match/request_tables.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pure::core {
namespace {

class idle_operation final : public pending_operation {
 public:
  explicit idle_operation(int& let_go) : let_go_(let_go) {}
  bool poll() noexcept override { return false; }
  [[nodiscard]] wait_reason reason(const call& by) const noexcept override { return {by, "the test"}; }
  void let_go() noexcept override { ++let_go_; }

 private:
  int& let_go_;
};

/// The kind of an entry, in words.
template <class Entry>
std::string kind_of(const Entry& /*entry*/) {
  if (std::is_same_v<Entry, receive_entry>) return "receive";
  if (std::is_same_v<Entry, send_entry>) return "send";
  return std::is_same_v<Entry, operation_entry> ? "operation" : "?";
}

class request_tables_test : public testing::Test {
 protected:
  static constexpr int rank = 5;

  std::string found(handle request) {
    return tables_.visit(
        request, [](auto& entry) { return kind_of(entry); }, [] { return std::string("none"); });
  }

  const call by_{"some_call", pure_call_site::current()};
  int let_go_ = 0;
  request_tables tables_{rank};
  const handle receive_ = tables_.of<receive_entry>().make(by_, receive_place{}, 1U, 0, 3).name;
  const handle send_ = tables_.of<send_entry>().make(by_).name;
  const handle operation_ = tables_.of<operation_entry>().make(by_, std::make_unique<idle_operation>(let_go_)).name;
};

TEST_F(request_tables_test, visits_the_entry_of_a_live_request) {
  EXPECT_EQ(found(receive_), "receive");
  EXPECT_EQ(found(send_), "send");
  EXPECT_EQ(found(operation_), "operation");
  for (const handle each : {receive_, send_, operation_}) {
    EXPECT_TRUE(tables_.is_own(each));
    EXPECT_EQ(tables_.visit(each, [](auto& entry) { return kind_of(entry); }), found(each)) << "known to be live";
    EXPECT_STREQ(tables_.visit(each, [](auto& entry) { return entry.origin.operation; }), "some_call");
  }
}

TEST_F(request_tables_test, visits_nothing_for_any_other_handle) {
  for (const handle_kind kind :
       {handle_kind::message, handle_kind::communicator, handle_kind::group, handle_kind::window,
        handle_kind::aggregation, handle_kind::datatype, handle_kind::reduction, handle_kind::info}) {
    for (const handle live : {receive_, send_, operation_})
      EXPECT_EQ(found(handle::make(kind, rank, live.generation(), live.index())), "none") << "no request";
  }
  for (const handle_kind kind : {handle_kind::receive, handle_kind::send, handle_kind::operation}) {
    EXPECT_EQ(found(handle::make(kind, rank + 1, 1, 0)), "none") << "another rank's";
    EXPECT_EQ(found(handle::make(kind, rank, 2, 0)), "none") << "of a generation to come";
    EXPECT_EQ(found(handle::make(kind, rank, 1, 1'000'000)), "none") << "beyond the table";
  }
}

TEST_F(request_tables_test, finds_an_entry_of_one_kind) {
  EXPECT_NE(tables_.find<send_entry>(send_), nullptr);
  EXPECT_EQ(tables_.find<send_entry>(receive_), nullptr);
  EXPECT_EQ(tables_.find<receive_entry>(send_), nullptr);
  EXPECT_EQ(tables_.find<send_entry>(handle::make(handle_kind::send, rank + 1, 1, 0)), nullptr) << "another rank's";
}

TEST_F(request_tables_test, goes_over_all_kinds) {
  std::vector<std::string> kinds;
  tables_.for_each([&](const auto& entry) { kinds.push_back(kind_of(entry)); });
  EXPECT_EQ(kinds, (std::vector<std::string>{"receive", "send", "operation"}));
}

TEST_F(request_tables_test, what_is_removed_is_let_go_of_and_found_no_more) {
  for (const handle each : {receive_, send_, operation_}) {
    tables_.visit(each, [&](auto& entry) { tables_.remove(each, entry); });
    EXPECT_EQ(found(each), "none");
  }
  EXPECT_EQ(let_go_, 1);
  tables_.for_each([](const auto& entry) { ADD_FAILURE() << kind_of(entry); });
}

}  // namespace
}  // namespace pure::core
