// One job after the other in one segment: who waits for whom, what is as new afterwards, and who is refused.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "net_shm/job_segment.hpp"
#include "net_shm/segment.hpp"
#include "net_shm/shm_network.hpp"
#include "net_shm/successive_jobs.hpp"

namespace pure::net_shm {
namespace successive_jobs {  // of its own, for files are compiled together
namespace {

using core::network_operation;

struct messages_heard final : core::network_events {
  void message_arrived(int /*from*/, int /*tag*/, const std::byte* /*data*/, std::size_t /*bytes*/) override {
    ++messages;
  }
  void operation_done(network_operation& /*done*/) override {}
  int messages = 0;
};

/// Two processes of a job, as programs that come and leave.
struct job_of_two {
  explicit job_of_two(const job_segment& segment) {
    for (int process = 0; process < 2; ++process) {
      auto opened = std::make_shared<opened_segment>(segment);
      begin_job(*opened, process);
      ends.push_back(std::make_unique<shm_network>(core::network_opening{}, std::move(opened), process));
    }
    for (const auto& each : ends) each->come();
    for (const auto& each : ends) each->meet_others();
  }

  std::vector<std::unique_ptr<shm_network>> ends;
};

std::string refusal(const opened_segment& opened, int process) {
  try {
    begin_job(opened, process);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), errc::state);
    return error.what();
  }
  return {};
}

TEST(shm_successive_jobs, each_finds_nothing_of_the_one_before) {
  const job_segment segment(2);
  for (int job = 0; job < 3; ++job) {
    const std::uint64_t key = segment.front().head().key;
    job_of_two now(segment);
    EXPECT_EQ(segment.front().head().key == key, job == 0) << "programs that have left are rung for";
    EXPECT_EQ(segment.front().row(1).pid.load(), getpid());
    messages_heard heard;
    EXPECT_FALSE(now.ends[1]->poll(heard)) << "job " << job;
    network_operation sending;
    for (int i = 0; i < 3 - job; ++i) ASSERT_TRUE(now.ends[0]->send_message(sending, 1, 1, "x", 1));
    ASSERT_TRUE(now.ends[1]->send_message(sending, 0, 1, "x", 1));  // nobody receives it
    while (now.ends[1]->poll(heard)) {
    }
    EXPECT_EQ(heard.messages, 3 - job);
    for (const auto& each : now.ends) each->finalize(0);
    EXPECT_EQ(segment.stage_of(0), process_stage::ended) << "who has started them has to see that they have left";
  }
}

/// What a sender takes for the receiver's progress, and a receiver for records.
TEST(shm_successive_jobs, rings_are_empty_and_take_no_memory) {
  const job_segment segment(2);
  const opened_segment opened(segment);
  const auto first_mark = [&segment] {
    std::uint64_t mark = 0;
    const auto at = static_cast<off_t>(segment.front().plan().ring_at(0, 1));
    EXPECT_EQ(pread(segment.descriptor().number(), &mark, sizeof mark, at), static_cast<ssize_t>(sizeof mark));
    return mark;
  };
  const auto blocks = [&segment] {
    struct stat file {};
    EXPECT_EQ(fstat(segment.descriptor().number(), &file), 0);
    return file.st_blocks;
  };
  const auto blocks_of_a_new_one = blocks();
  job_of_two first(segment);
  network_operation sending;
  ASSERT_TRUE(first.ends[0]->send_message(sending, 1, 1, "x", 1));
  EXPECT_NE(first_mark(), 0U);
  EXPECT_GT(blocks(), blocks_of_a_new_one);
  for (const auto& each : first.ends) each->finalize(0);
  begin_job(opened, 1);
  EXPECT_EQ(first_mark(), 0U);
  EXPECT_EQ(blocks(), blocks_of_a_new_one);
}

TEST(shm_successive_jobs, the_next_one_waits_until_all_have_left_the_one_before) {
  const job_segment segment(2);
  const opened_segment opened(segment);
  job_of_two first(segment);
  first.ends[0]->finalize(0);
  std::atomic<bool> has_begun{false};
  std::thread next([&] {
    begin_job(opened, 0);
    has_begun = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(has_begun);
  EXPECT_EQ(segment.front().head().have_come.load(), 2U) << "it is the first job's yet";
  first.ends[1]->finalize(0);
  next.join();
  for (int process = 0; process < 2; ++process) EXPECT_EQ(segment.stage_of(process), process_stage::away);
  EXPECT_EQ(segment.front().head().have_come.load(), 0U);
}

TEST(shm_successive_jobs, what_was_half_renewed_is_renewed_again) {
  const job_segment segment(2);
  const opened_segment opened(segment);
  job_of_two(segment).ends[0]->finalize(0);
  const segment_view front = segment.front();
  front.head().is_being_renewed.store(1);  // by a process that was killed, which has come as far as the first row
  front.row(0).stage.store(process_stage::away);
  front.row(1).stage.store(process_stage::ended);
  front.row(1).is_armed.store(1);
  begin_job(opened, 0);
  EXPECT_EQ(front.row(1).is_armed.load(), 0U);
  EXPECT_EQ(segment.stage_of(1), process_stage::away);
  EXPECT_EQ(front.head().is_being_renewed.load(), 0U);
}

TEST(shm_successive_jobs, no_second_program_while_the_first_is_there) {
  const job_segment segment(2);
  const opened_segment opened(segment);
  const job_of_two first(segment);
  EXPECT_NE(refusal(opened, 1).find(fmt::format("another program (pid {}) is process 1 of this job already", getpid())),
            std::string::npos);
  EXPECT_EQ(segment.front().row(1).pid.load(), getpid()) << "what the first has said is changed";
}

TEST(shm_successive_jobs, nobody_waits_when_purerun_has_ended) {
  std::optional<job_segment> segment(2);
  const opened_segment opened(segment->text().c_str(), 2);
  opened.front().row(0).stage.store(process_stage::ended);
  opened.front().row(1).stage.store(process_stage::here);
  segment.reset();
  EXPECT_NE(refusal(opened, 0).find("purerun has ended"), std::string::npos);
}

}  // namespace
}  // namespace successive_jobs
}  // namespace pure::net_shm
