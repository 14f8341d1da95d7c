// Reading timeline files: every kind of event, what is passed over, and what is refused with which words.
#include "pure/trace_read.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

#include "support/trace_text.hpp"

namespace {

using namespace pure::tool;
using pure::test::trace_text;

timeline read(const std::string& text) {
  std::istringstream file(text);
  return read_timeline(file);
}

// What is said about a file that is refused.
std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "(not refused)";
}

void expect_refused(const std::string& text, const std::string& part) {
  EXPECT_NE(refusal(text).find(part), std::string::npos) << refusal(text) << "\n does not say: " << part;
}

TEST(TraceRead, EveryKindOfEvent) {
  const timeline all = read(pure::test::figure1().text(7));
  EXPECT_EQ(all.program, "stencil");
  EXPECT_EQ(all.version, "0.1.0");
  EXPECT_EQ(all.ranks, 3U);
  EXPECT_EQ(all.helpers, 0U);
  EXPECT_EQ(all.dropped_events, 7U);
  EXPECT_EQ(all.end, 100'000);
  ASSERT_EQ(all.rows.size(), 3U);
  EXPECT_EQ(all.rows[2].name, "rank 2");

  ASSERT_EQ(all.rows[0].mains.size(), 1U);
  EXPECT_EQ(all.rows[0].mains[0], (time_span{0, 100'000}));
  ASSERT_EQ(all.rows[0].tasks.size(), 1U);
  const task_slice& task = all.rows[0].tasks[0];
  EXPECT_EQ(static_cast<time_span>(task), (time_span{10'000, 75'000}));
  EXPECT_EQ(task.id, 1U);
  EXPECT_EQ(task.chunks, 6U);
  EXPECT_EQ(all.text(task.name), "PureTask::execute");
  EXPECT_EQ(all.text(task.at), "stencil.cpp:15");

  ASSERT_EQ(all.rows[1].chunks.size(), 3U);
  const chunk_slice& chunk = all.rows[1].chunks[2];
  EXPECT_EQ(static_cast<time_span>(chunk), (time_span{42'000, 50'000}));
  EXPECT_EQ(chunk.owner, 0U);
  EXPECT_EQ(chunk.task, 1U);
  EXPECT_EQ(chunk.first, 5U);
  EXPECT_EQ(chunk.last, 5U);

  ASSERT_EQ(all.rows[1].waits.size(), 1U);
  EXPECT_EQ(all.text(all.rows[1].waits[0].name), "pure_recv_msg");
  EXPECT_EQ(all.text(all.rows[1].waits[0].what), "a message from rank 0");
  EXPECT_EQ(all.text(all.rows[1].waits[0].at), "stencil.cpp:21");
  EXPECT_EQ(all.rows[1].waits[0].name, all.rows[2].waits[0].name) << "stored once";

  ASSERT_EQ(all.messages.size(), 2U);
  EXPECT_EQ(all.messages[1].from, 0U);
  EXPECT_EQ(all.messages[1].to, 2U);
  EXPECT_EQ(all.messages[1].sent, 95'000);
  EXPECT_EQ(all.messages[1].received, 97'000);
}

TEST(TraceRead, WhenOthersHadTheCpu) {
  trace_text trace(2, 0);
  trace.lost(1, 40, 60, 12.5);
  trace.lost(1, 10, 20, 100);
  const timeline all = read(trace.text());
  EXPECT_TRUE(all.rows[0].lost.empty());
  ASSERT_EQ(all.rows[1].lost.size(), 2U);
  EXPECT_EQ(static_cast<time_span>(all.rows[1].lost[0]), (time_span{10'000, 20'000}));
  EXPECT_EQ(all.rows[1].lost[0].share, 1.0);
  EXPECT_EQ(all.rows[1].lost[1].share, 0.125);
  EXPECT_EQ(all.end, 60'000);
  for (const char* const percent : {"-1.0", "100.1", "\"much\""}) {
    trace_text wrong(1, 0);
    wrong.add(fmt::format(
        R"({{"ph":"C","pid":0,"tid":0,"ts":1,"dur":2,"cat":"lost","name":"cpu taken","args":{{"percent":{}}}}})",
        percent));
    expect_refused(wrong.text(), "\"percent\"");
  }
}

TEST(TraceRead, SlicesAreSortedOuterFirst) {
  trace_text trace(1, 0);
  trace.task(0, 6, 7, 2, 1);
  trace.task(0, 1, 2, 3, 1);
  trace.task(0, 1, 4, 4, 1);
  const timeline all = read(trace.text());
  ASSERT_EQ(all.rows[0].tasks.size(), 3U);
  EXPECT_EQ(all.rows[0].tasks[0].id, 4U);
  EXPECT_EQ(all.rows[0].tasks[1].id, 3U);
  EXPECT_EQ(all.rows[0].tasks[2].id, 2U);
}

TEST(TraceRead, TimesKeepTheirNanosecondsAfterHours) {
  trace_text trace(1, 0);
  trace.main(0, 36e9 + 0.001, 36e9 + 0.004);
  EXPECT_EQ(read(trace.text()).rows[0].mains[0], (time_span{36'000'000'000'001, 36'000'000'000'004}));
}

TEST(TraceRead, HelpersAreRowsBelow) {
  trace_text trace(2, 1);
  trace.chunk(2, 1, 2, 1, 4, 7, 9);
  const timeline all = read(trace.text());
  ASSERT_EQ(all.rows.size(), 3U);
  EXPECT_EQ(all.rows[2].name, "helper 0");
  EXPECT_EQ(all.rows[2].chunks.at(0).last, 9U);
}

TEST(TraceRead, UnknownThingsArePassedOver) {
  trace_text trace(1, 0);
  trace.main(0, 0, 5);
  trace.add(R"({"ph":"C","pid":0,"tid":99,"ts":"soon","name":"counter","args":{"value":3}})");
  trace.add(
      R"({"ph":"X","pid":0,"tid":0,"ts":1,"dur":1,"cat":"weather","name":"rain","args":{"chunks":[1,{"task":2}]}})");
  trace.add(
      R"({"ph":"X","pid":0,"tid":0,"ts":1,"dur":2,"cat":"wait","name":"w","colour":{"tid":[7]},"args":{"x":null}})");
  trace.add(R"({"ph":"s","pid":0,"tid":0,"ts":1,"cat":"clouds","id":"0x1"})");
  trace.add(R"({})");
  std::string text = trace.text();
  text.insert(1, R"("systemTraceEvents":{"traceEvents":[{"ph":1}]},"metadata":[[],{"ranks":-1}],"yes":true,)");
  const timeline all = read(text);
  EXPECT_EQ(all.rows.at(0).mains.size(), 1U);
  EXPECT_EQ(all.rows[0].waits.size(), 1U);
}

TEST(TraceRead, MessagesWithOneEndAreNone) {
  trace_text trace(2, 0);
  trace.message(1, 0, 1, 1, 2);
  trace.add(R"({"ph":"s","pid":0,"tid":1,"ts":3,"cat":"message","name":"message","id":2})");
  trace.add(R"({"ph":"f","bp":"e","pid":0,"tid":1,"ts":3,"cat":"message","name":"message","id":3})");
  EXPECT_EQ(read(trace.text()).messages.size(), 1U);
}

TEST(TraceRead, TextsMayHoldAnything) {
  trace_text trace(1, 0);
  trace.wait(0, 0, 1, R"(a \"b\" \\ \u00e4 {[)", R"(\n,})");
  const timeline all = read(trace.text());
  EXPECT_EQ(all.text(all.rows[0].waits[0].name), "a \"b\" \\ \xc3\xa4 {[");
  EXPECT_EQ(all.text(all.rows[0].waits[0].what), "\n,}");
}

TEST(TraceRead, NamesMayBeMissing) {
  const timeline all = read(
      R"({"otherData":{"pure":"1","ranks":1,"helpers":1},"traceEvents":[{"ph":"X","cat":"rank","tid":0,"ts":0,"dur":2}]})");
  EXPECT_EQ(all.rows.at(0).name, "rank 0");
  EXPECT_EQ(all.rows.at(1).name, "helper 0");
}

TEST(TraceRead, WhatIsNoJsonIsRefusedWithItsPlace) {
  expect_refused("", "not JSON: parse error at line 1, column 1");
  expect_refused("ELF", "not JSON: parse error at line 1, column 1");
  expect_refused("{\n\"a\": 1,\n  oops}", "line 3, column 3");
  std::string text = pure::test::figure1().text();
  text.resize(text.size() / 2);
  expect_refused(text, "was the program ended while it wrote the file?");
  expect_refused(pure::test::figure1().text() + "x", "not JSON");
}

TEST(TraceRead, JsonThatIsNoTimelineIsRefused) {
  expect_refused("[]", "no timeline of Pure: it is a list");
  expect_refused("42", "no timeline of Pure: it has no \"traceEvents\"");
  expect_refused(R"({"otherData":{"pure":"1","ranks":1}})", "it has no \"traceEvents\"");
  expect_refused(R"({"traceEvents":[]})", "which \"pure\" has written it");
  expect_refused(R"({"traceEvents":[],"otherData":{"pure":"1"}})", "how many \"ranks\"");
  expect_refused(R"({"traceEvents":[],"otherData":{"pure":"1","ranks":-3}})", "number of ranks cannot be right");
  expect_refused(R"({"traceEvents":[],"otherData":{"pure":"1","ranks":1e9}})", "number of ranks cannot be right");
}

TEST(TraceRead, WrongEventsAreRefusedByNumber) {
  const auto with = [](const std::string& event) {
    return R"({"otherData":{"pure":"1","ranks":2,"helpers":0},"traceEvents":[{"ph":"M"},)" + event + "]}";
  };
  const std::string good = R"("ph":"X","ts":0,"dur":1,"name":"n","tid":)";
  expect_refused(with(R"({"ph":"X","cat":"wait","name":"n","ts":0,"dur":1})"),
                 R"(event 2, "n": its "tid" is missing, or no number)");
  expect_refused(with(R"({"ph":"X","cat":"wait","tid":0,"dur":1})"), R"(event 2: its "ts" is missing, or no number)");
  expect_refused(with(R"({"ph":"X","cat":"wait","tid":0,"ts":1})"), R"(its "dur" is missing, or no number)");
  expect_refused(with(R"({"ph":"X","cat":"wait","tid":0,"ts":1,"dur":-1})"), R"(its "dur" is negative)");
  expect_refused(with(R"({"ph":"X","cat":"wait","tid":0,"ts":1e300,"dur":1})"), R"(its "ts" is no time)");
  expect_refused(with(R"({"ph":"X","cat":"wait","tid":0,"ts":"1","dur":1})"), R"(its "ts" is missing, or no number)");
  expect_refused(with("{" + good + R"(1.5,"cat":"wait"})"), R"(its "tid" is no index)");
  expect_refused(with("{" + good + R"(-1,"cat":"wait"})"), R"(its "tid" is no index)");
  expect_refused(with("{" + good + R"(99999999,"cat":"wait"})"), "is no thread of a job");
  expect_refused(with("{" + good + R"(2,"cat":"wait"})"), "events of thread 2, but says that there are 2 ranks and 0");
  expect_refused(with("{" + good + R"(0,"cat":"task","args":{}})"), R"(its "task" is missing, or no number)");
  expect_refused(with("{" + good + R"(0,"cat":"chunk","args":{"task":1,"first":0,"last":0}})"),
                 R"("owner" is missing, or no number)");
  expect_refused(with("{" + good + R"(0,"cat":"chunk","args":{"owner":2,"task":1,"first":0,"last":0}})"),
                 "rank 0 runs a chunk of rank 2, but there are 2 ranks");
  expect_refused(with(R"({"ph":"s","cat":"message","tid":0,"ts":1})"), R"(its "id" is missing, or no number)");
}

TEST(TraceRead, AFileThatIsNotThere) {
  try {
    read_timeline_file("no_such_file.json");
    FAIL() << "it was read";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no_such_file.json: it cannot be read: No such file or directory");
  }
}

TEST(TraceRead, TellsItsProgress) {
  trace_text trace(1, 0);
  for (int i = 0; i < 70'000; ++i) trace.add("{}");
  const std::string text = trace.text();
  std::istringstream file(text);
  std::uint64_t last = 0;
  read_timeline(file, [&](std::uint64_t bytes) {
    EXPECT_GT(bytes, last);
    last = bytes;
  });
  EXPECT_GT(last, text.size() / 2);
  EXPECT_LE(last, text.size());
}

}  // namespace
