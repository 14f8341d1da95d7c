// Receives that their rank has freed while their messages were on their way from another process.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "match/requests.hpp"
#include "support/two_processes.hpp"

namespace pure::core {
namespace {

using test_support::hand_driven;
using test_support::test_message;
using test_support::test_send;
using test_support::two_processes;

/// The wait for one of them looks at all that were freed, and forgets those that have ended: with AddressSanitizer the
/// test sees who looks at them afterwards.
TEST(freed_receives, may_end_while_their_rank_waits_for_them) {
  two_processes two(hand_driven());
  requests& of = requests::of(two.rank(1));
  const call by{"MPI_Finalize", {}};
  constexpr std::size_t count = 5;
  std::vector<std::vector<std::byte>> into(count, std::vector<std::byte>(two_processes::large));
  std::vector<test_message> what;
  std::vector<test_send*> sent;
  two.world.hold_payloads(0, 1);
  for (std::vector<std::byte>& each : into) {
    what.push_back(two.next(1));
    handle request = of.start_receive(by, {each.data(), each.size(), nullptr}, what.back().context, 0, 1);
    sent.push_back(&two.send(0, 1, what.back()));
    two.settle();  // it has matched, and its bytes are on their way
    of.free_request(by, request);
  }
  two.world.hold_payloads(0, 1, false);
  of.leave_freed_receives(by);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(into[i], what[i].data());
    EXPECT_TRUE(two.completes(*sent[i]));
  }
}

}  // namespace
}  // namespace pure::core
