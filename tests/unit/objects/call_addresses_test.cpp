// Calls of which a door knows the return address only: whoever reports them says where they were made.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "comm/communicator_table.hpp"
#include "comm/point_to_point.hpp"
#include "hang/source_lines.hpp"
#include "match/requests.hpp"
#include "objects/boundary.hpp"
#include "runtime/call_error.hpp"
#include "runtime/leftovers.hpp"
#include "runtime/wait_reason.hpp"
#include "start/services.hpp"
#include "support/bare_job.hpp"
#include "window/lock_note.hpp"
#include "window/lock_records.hpp"

namespace {

using namespace pure::core;

/// What a function of a C interface knows of its caller.
[[gnu::noinline]] site_of_call site_of_caller() {
  const site_of_call site = site_of_call::returning_to(__builtin_return_address(0));
  asm volatile("" : : "m"(site));  // no tail call
  return site;
}

/// Whether `text` says that the call was made in the line `line` of this file, or where lines are not known, by what
/// function, or in what program.
void expect_place(const std::string& text, const site_of_call& site, int line) {
  const bool has_lines = !source_lines().of(static_cast<const char*>(site.address()) - 1).empty();
  const std::string place = has_lines ? "call_addresses_test.cpp:" + std::to_string(line) : "unit.objects";
  EXPECT_NE(text.find(place), std::string::npos) << text;
  EXPECT_EQ(text.find("0x7f"), std::string::npos) << "a number says nothing: " << text;
}

TEST(call_addresses, in_the_reason_of_a_wait) {
  const site_of_call site = site_of_caller();
  const int line = __LINE__ - 1;
  const call by{"MPI_Recv", site};
  expect_place(describe(3, {.what = by, .waiting_for = "a message from", .peer = 1, .tag = 7}), site, line);
}

struct codes_only {
  static inline error_state errors;
  static constexpr int success = 0;
  static int code_of(pure::errc code) noexcept { return static_cast<int>(code); }
  static error_state& errors_of(const rank_context&) noexcept { return errors; }
};

TEST(call_addresses, in_a_handled_error) {
  test_support::bare_job job(1);
  job.run([](rank_context&) {
    const site_of_call site = site_of_caller();
    const int line = __LINE__ - 1;
    const call by{"MPI_Send", site};
    codes_only::errors = {.returns_errors = true, .last_text = {}};
    EXPECT_EQ(boundary<codes_only>::call("MPI_Send", [&] { throw_wrong_call(by, pure::errc::tag, "the tag"); }),
              static_cast<int>(pure::errc::tag));
    expect_place(codes_only::errors.last_text, site, line);
    try {
      throw_wrong_call(by, pure::errc::tag, "the tag");
    } catch (const pure::Error& error) {
      expect_place(error.site().file, site, line);
    }
  });
}

TEST(call_addresses, in_a_leftover) {
  settings values;
  values.check = true;
  test_support::bare_job job(1, values, test_support::impatient, attach_services);
  job.run([](rank_context& self) {
    const site_of_call site = site_of_caller();
    const int line = __LINE__ - 1;
    communicator& own = communicator_table::of(self).self();
    int value = 0;
    handle request = start_receive(own, {"MPI_Irecv", site}, receive_place{&value, sizeof value, nullptr}, 0, 3);
    leftovers left;
    requests::of(self).add_leftovers(left);
    ASSERT_EQ(left.requests.size(), 1U);
    EXPECT_NE(left.requests[0].find("MPI_Irecv at "), std::string::npos) << left.requests[0];
    expect_place(left.requests[0], site, line);
    requests::of(self).cancel({"MPI_Cancel", {}}, request);
    requests::of(self).wait({"MPI_Wait", {}}, request);
    requests::of(self).finish_or_throw({"MPI_Wait", {}}, request, [](const status&) {});
  });
}

TEST(call_addresses, of_whoever_has_a_lock) {
  const site_of_call site = site_of_caller();
  const int line = __LINE__ - 1;
  const call by{"MPI_Win_lock", site};
  lock_records records(2);
  records.prepare(1, 11);
  records.note(1, 0, by);
  ASSERT_EQ(records.of(0).size(), 1U);
  expect_place(records.of(0)[0].by, site, line);

  lock_note note;  // in memory that other processes see
  note.write(1, by);
  expect_place(note.read().call(), site, line);
  EXPECT_EQ(note.read().call().find("MPI_Win_lock at "), 0U);
  lock_note::seen of_another_process = note.read();
  of_another_process.made_by.file[16] ^= 1;
  EXPECT_EQ(of_another_process.call(), "MPI_Win_lock") << "whose addresses are not known here";
  note.write(1, call{"MPI_Win_lock", {"halo.cpp", 12}});
  EXPECT_EQ(note.read().call(), "MPI_Win_lock at halo.cpp:12");
}

}  // namespace
