// pure.h: every collective with one rank's argument wrong, each argument in turn. That rank gets the error; nobody gets
// a wrong result or waits for ever, in this collective or the next one (coll/refused_calls.hpp, docs/collectives.md).
// How the errors of all arguments read: pure_h_collectives_errors_test.cpp.
#include <pure.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"
#include "support/pure_h.hpp"
#include "support/wrong_collectives.hpp"

namespace test_support::wrong_collectives {
namespace {

struct outcome_of_rank {
  int first = -1, second = -1;  // codes; -1: the job has ended before
  std::string text;             // of the first error
  int sum = 0;                  // the result of the second call
};

constexpr int everybody = -1;

// AddressSanitizer makes each try twenty times as long, most of it for the reports of deadlocks: it sees one try in
// five. (There are six tries of a mistake, so all forms and ranks have their turn.)
#ifdef __SANITIZE_ADDRESS__
constexpr int one_in = 5;
#else
constexpr int one_in = 1;
#endif

/// One rank errs, or everybody, the others call rightly; then all add up 1, 2 and 4.
std::array<outcome_of_rank, ranks> outcomes_of(const collective_call& of, const mistake& made, form how, int errs,
                                               std::string& end) {
  std::array<outcome_of_rank, ranks> all;
  try {
    on_ranks(ranks, [&](int me) {
      outcome_of_rank& mine = all[static_cast<std::size_t>(me)];
      passed a;
      if (me == errs || errs == everybody) made.make(a);
      mine.first = of.make(how, a);
      mine.text = mine.first == PURE_SUCCESS ? "" : pure_last_error();
      const int mask = 1 << me;
      mine.second = pure_allreduce(&mask, &mine.sum, 1, PURE_INT, PURE_SUM, world);
    });
  } catch (const pure::Error& error) {
    end = error.what();
  }
  return all;
}

/// Calls look(which, how, errs) for every call, mistake, form and rank that errs.
template <class Look>
void for_all_mistakes(std::initializer_list<form> forms, Look look) {
  int number = 0;
  for (const collective_call& each : collectives()) {
    for (const mistake& made : each.mistakes) {
      for (const form how : forms) {
        for (const int errs : {0, 2}) {
          if (made.where == errs_at::root_only && errs != root) continue;
          if (made.where == errs_at::not_root && errs == root) continue;
          if (number++ % one_in != 0) continue;
          SCOPED_TRACE(std::string(each.name) + ", " + made.argument + ", rank " + std::to_string(errs) + ", form " +
                       std::to_string(static_cast<int>(how)));
          look(each, made, how, errs);
        }
      }
    }
  }
}

/// Whether this mistake, as the nth of a call, is one to try where each try takes long, because the job ends in a
/// report: each mistake of blocking calls at one rank, and one of each non-blocking and persistent call.
bool is_worth_a_report(const collective_call& of, const mistake& made, form how, int errs) {
  const auto nth = &made - of.mistakes.data();
  if (how != form::blocking) return nth == 0 && errs != root;
  return made.where != errs_at::any_rank || (nth % 2 == 0) == (errs == root);
}

void expect_own_error(const outcome_of_rank& of, const collective_call& call, const mistake& made, form how) {
  EXPECT_EQ(of.first, made.code) << of.text;
  const std::string plain = call.name;
  const std::string name = how == form::blocking      ? plain
                           : how == form::nonblocking ? "pure_i" + plain.substr(5)
                                                      : plain + "_init";
  EXPECT_EQ(of.text.find(name + ": rank "), 0U) << of.text;
}

TEST(pure_h_collectives_refused, nobody_gets_a_wrong_result) {
  const environment set{{"PURE_CHECK", "0"}, {"PURE_SPIN_US", "0"}};
  int ended = 0, gone_on = 0;
  for_all_mistakes({form::blocking, form::nonblocking, form::persistent},
                   [&](const collective_call& call, const mistake& made, form how, int errs) {
                     if (!is_worth_a_report(call, made, how, errs)) return;
                     std::string end;
                     const auto all = outcomes_of(call, made, how, errs, end);
                     expect_own_error(all[static_cast<std::size_t>(errs)], call, made, how);
                     if (!end.empty()) {
                       const std::string waits_in = how == form::blocking ? call.name : "pure_wait";
                       EXPECT_NE(end.find("deadlock"), std::string::npos) << end;
                       EXPECT_NE(end.find("waits in " + waits_in), std::string::npos) << end;
                     }
                     for (int r = 0; r < ranks; ++r) {
                       const outcome_of_rank& of = all[static_cast<std::size_t>(r)];
                       if (r != errs) {
                         EXPECT_TRUE(of.first == PURE_SUCCESS || of.first == -1) << of.text;
                       }
                       EXPECT_EQ(of.second, end.empty() ? PURE_SUCCESS : -1) << "rank " << r;
                       EXPECT_EQ(of.sum, end.empty() ? 7 : 0) << "rank " << r;
                     }
                     ++(end.empty() ? gone_on : ended);
                   });
  EXPECT_GT(ended * one_in, one_in == 1 ? 80 : 40);
  EXPECT_GT(gone_on * one_in, one_in == 1 ? 10 : 0) << "who needs nothing of the rank that errs goes on";
}

TEST(pure_h_collectives_refused, with_checks_all_get_an_error_and_go_on) {
  const environment set{{"PURE_CHECK", "1"}, {"PURE_SPIN_US", "0"}};
  for_all_mistakes(
      {form::blocking, form::nonblocking}, [&](const collective_call& call, const mistake& made, form how, int errs) {
        std::string end;
        const auto all = outcomes_of(call, made, how, errs, end);
        EXPECT_EQ(end, "");
        for (int r = 0; r < ranks; ++r) {
          const outcome_of_rank& of = all[static_cast<std::size_t>(r)];
          if (r == errs) {
            expect_own_error(of, call, made, how);
          } else {
            EXPECT_EQ(of.first, PURE_ERR_MISMATCH) << of.text;
            EXPECT_NE(of.text.find("rank " + std::to_string(errs) + ": pure_"), std::string::npos) << of.text;
            EXPECT_NE(of.text.find("with wrong arguments"), std::string::npos) << of.text;
          }
          EXPECT_EQ(of.second, PURE_SUCCESS);
          EXPECT_EQ(of.sum, 7);
        }
      });
}

TEST(pure_h_collectives_refused, where_everybody_errs_all_go_on) {
  for (const char* const check : {"0", "1"}) {
    const environment set{{"PURE_CHECK", check}};
    for_all_mistakes({form::blocking, form::nonblocking, form::persistent},
                     [&](const collective_call& call, const mistake& made, form how, int errs) {
                       if (made.where != errs_at::any_rank || errs != root) return;
                       std::string end;
                       for (const outcome_of_rank& of : outcomes_of(call, made, how, everybody, end)) {
                         expect_own_error(of, call, made, how);
                         EXPECT_EQ(of.second, PURE_SUCCESS);
                         EXPECT_EQ(of.sum, 7);
                       }
                       EXPECT_EQ(end, "");
                     });
  }
}

/// An operation that does nothing has its place, however many are pending before it.
TEST(pure_h_collectives_refused, after_many_that_are_pending) {
  const environment set{{"PURE_CHECK", "0"}};
  on_ranks(2, [](int me) {
    constexpr int pending = 200;
    std::array<int, pending> in{}, out{};
    std::array<pure_request, pending> requests{};
    if (me == 1) {
      EXPECT_OK(pure_send_msg(nullptr, 0, PURE_INT, 0, 1, world));
      EXPECT_OK(pure_recv_msg(nullptr, 0, PURE_INT, 0, 2, world));
    }
    for (int i = 0; i < pending; ++i) {
      const auto at = static_cast<std::size_t>(i);
      in[at] = i + me;
      EXPECT_OK(pure_iallreduce(&in[at], &out[at], 1, PURE_INT, PURE_SUM, world, &requests[at]));
      EXPECT_EQ(pure_bcast(nullptr, 1, PURE_INT, 0, world), PURE_ERR_BUFFER);
      EXPECT_OK(pure_allreduce(nullptr, nullptr, 0, PURE_INT, PURE_SUM, world));
    }
    if (me == 0) {
      EXPECT_OK(pure_recv_msg(nullptr, 0, PURE_INT, 1, 1, world));
      EXPECT_OK(pure_send_msg(nullptr, 0, PURE_INT, 1, 2, world));
    }
    for (int i = 0; i < pending; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_OK(pure_wait(&requests[at]));
      EXPECT_EQ(out[at], 2 * i + 1);
    }
    EXPECT_OK(pure_barrier(world));
  });
}

/// A call for nothing is a call: who calls for something waits for it.
TEST(pure_h_collectives_refused, nothing_is_no_answer_to_something) {
  const environment set{{"PURE_CHECK", "0"}, {"PURE_SPIN_US", "0"}};
  for (const bool blocking : {true, false}) {
    std::array<int, 2> sums{};
    EXPECT_THROW(on_ranks(2,
                          [&](int me) {
                            int one = 1, ten = 10, sum = 0;
                            pure_request request = PURE_REQUEST_NULL;
                            if (blocking || me == 1) {
                              pure_allreduce(&one, &sum, me == 1 ? 1 : 0, PURE_INT, PURE_SUM, world);
                            } else {
                              pure_iallreduce(&one, &sum, 0, PURE_INT, PURE_SUM, world, &request);
                              pure_wait(&request);
                            }
                            pure_allreduce(&ten, &sum, 1, PURE_INT, PURE_SUM, world);
                            sums[static_cast<std::size_t>(me)] = sum;
                          }),
                 pure::Error);
    EXPECT_EQ(sums[0], 0);
    EXPECT_EQ(sums[1], 0);
  }
}

TEST(pure_h_collectives_refused, exceptions_of_the_typed_interface_count_too) {
  const environment set{{"PURE_CHECK", "0"}};
  pure::run(3, [](pure::comm all) {
    const int me = all.rank();
    std::vector<int> data(4, me), three(3);
    for (int round = 0; round < 3; ++round) {
      if (me == 2) {
        if (round == 0) {
          EXPECT_THROW(all.bcast(data, 99), pure::Error);
        } else if (round == 1) {
          EXPECT_THROW(all.all_reduce_into(data, three, std::plus()), pure::Error);
        } else {
          EXPECT_THROW((void)all.iall_reduce_into(data, three, std::plus()), pure::Error);
        }
      } else {
        all.bcast(data, 0);
        EXPECT_EQ(data.front(), 0);
      }
      EXPECT_EQ(all.all_reduce(1 << me, std::plus()), 7);
    }
  });
}

}  // namespace
}  // namespace test_support::wrong_collectives
