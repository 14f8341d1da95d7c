#!/usr/bin/env python3
"""Plants each mutation of the gateway's models in its code, and checks that the unit test named here fails then.

    mutations.py SOURCES BUILD [NAME...]   builds and runs them; NAME: only those whose mutation has such a name
    mutations.py --check-texts SOURCES     only checks that the table is not stale

A mutation that a model must catch (tests/model/*.pml: `must fail`) has a twin: a row of the table says which text of
which file is replaced by what, and which test of tests/unit/gateway must fail. What has no twin stands in WITHOUT, with
the reason. BUILD is a build folder that has unit.gateway; whatever is made here is in BUILD/mutations.

How it is built: the gateway's sources and its tests once, each by itself and without optimization; for each row the
mutated file alone. The linker takes the first definition that it finds, so the mutated one goes first. That also
holds for functions in headers: without inlining, every object has them, and one that is mutated is enough.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

MODELS = ("streams", "runs", "network_lock")
# Compiled once for all.
USUAL = ("gtest/gtest.h", "fmt/core.h", "algorithm", "functional", "memory", "string", "vector", "map", "unordered_map")


@dataclasses.dataclass
class Twin:
    model: str
    mutation: str  # of the model, without MUTATE_
    file: str  # in src/
    text: str  # there, once
    planted: str
    test: str
    compiled: str = ""  # in src/: what is compiled instead of a header, and uses what is mutated there


STREAMS = "gateway/message_streams.hpp"
FORESEEN = "gateway/foreseen_receives.cpp"
RUNS = "gateway/run_receiver.cpp"
GATEWAY = "gateway/gateway.cpp"

TWINS = [
    # ---- receives that are posted before the envelope of their message is here ----
    Twin("streams", "ANY_TAG", STREAMS,
         "    return in_packet[count % streams::tags_of_each] <= dealt_with;", "    return dealt_with + 1 > 0;",
         "foreseen_test.a_tag_is_not_used_again_before_the_message_before_is_dealt_with", "gateway/open_sends.cpp"),
    Twin("streams", "DEALT_WITH_EARLY", "gateway/events.cpp",
         "  if (!foreseen_.is_anything_held()) from.dealt_with = from.arrived;\n  if (!entries.is_whole())",
         "  from.dealt_with = from.arrived;\n  if (!entries.is_whole())",
         "foreseen_test.a_packet_is_not_dealt_with_while_a_receive_that_it_ends_is_taken_back"),
    Twin("streams", "DEALT_WITH_EARLY", "gateway/events.cpp",
         "  if (!foreseen_.is_anything_held()) from.dealt_with = from.arrived;\n}\n\nvoid gateway::operation_done",
         "  from.dealt_with = from.arrived;\n}\n\nvoid gateway::operation_done",
         "foreseen_test.nor_is_a_message_without_envelope"),
    Twin("streams", "NO_HOLD", FORESEEN,
         "  if (expected.is(stage::giving_up)) hold(link, expected);\n", "",
         "foreseen_test.a_message_waits_until_its_receive_is_taken_back"),
    Twin("streams", "ONE_HOLD", FORESEEN, "  ++link.holds;\n", "  link.holds = 1;\n",
         "foreseen_test.messages_wait_for_each_of_several_that_are_taken_back"),
    Twin("streams", "NOT_EMPTY", FORESEEN, " || way.front() != nullptr) return false;", ") return false;",
         "foreseen_test.a_receive_does_not_expect_while_there_are_messages_for_it"),
    Twin("streams", "NO_OWED", FORESEEN, "next.next_tag(next.owed)", "next.next_tag()",
         "foreseen_test.what_has_come_before_its_envelope_is_counted"),
    Twin("streams", "ANNOUNCED_ANYHOW", FORESEEN, "    hold(link, expected);  // it may have", "    // it may have",
         "foreseen_announced_test.its_tag_is_not_told_to_be_free_before"),
    Twin("streams", "NO_REPOST", FORESEEN, "  if (expected.going.cancelled && expected.is(stage::announced_giving_up)) {",
         "  if (false) {", "foreseen_announced_test.its_receive_is_posted_again"),
    # ---- messages without envelopes ----
    Twin("runs", "ANY_TAG", "gateway/stream_sender.cpp", " || !run.may_use_next_tag(to.dealt_with_by_it)", "",
         "runs_test.a_tag_is_used_again_only_when_it_is_free"),
    Twin("runs", "NO_END", STREAMS, "    return run != nullptr && !streams::is_aside(run->context, who, bytes);",
         "    return false;", "runs_test.another_message_of_the_pair_waits_for_those_of_the_run",
         "gateway/outgoing.cpp"),
    Twin("runs", "NO_WAIT", RUNS, "  if (link.run.missing > 0) {\n    foreseen_.one_hold_more();", "  if (false) {",
         "runs_test.another_message_of_the_pair_waits_for_those_of_the_run"),
    Twin("runs", "NOT_BEHIND", RUNS, "  if (link.run.missing == 0) return false;",
         "  if (link.run.missing == 0 || !link.run.behind.empty()) return false;",
         "runs_test.so_do_all_that_come_after_it"),
    Twin("runs", "KEPT_STAYS", RUNS, "  if (kept == nullptr || !kept->is_own()) return;\n  kept->stream->expected",
         "  return;\n  kept->stream->expected", "runs_test.the_gateways_own_receive_goes_when_the_run_ends"),
    Twin("runs", "KEPT_FORGOTTEN", RUNS,
         "  if (kept->is(foreseen_receive::stage::giving_up)) foreseen_.hold(link, *kept);\n", "", "runs_test.its_tag_is_not_free_before_it_has_gone"),
    Twin("runs", "NO_HOLD", FORESEEN,
         "  if (expected.is(stage::giving_up)) hold(link, expected);\n", "",
         "runs_test.a_message_that_ends_one_waits_until_its_receive_is_taken_back"),
    Twin("runs", "NOBODY", RUNS, "    foreseen_.start_expecting(*link.end->rank, link.to->source(), its, nullptr);\n", "",
         "runs_test.a_message_for_which_no_receive_is_posted_comes_all_the_same"),
    Twin("runs", "ALWAYS", RUNS,
         "  forget_run(link);\n  if (kept",
         "  in_stream& still = *link.run.of;\n  forget_run(link);\n"
         "  foreseen_.start_expecting(*link.end->rank, link.to->source(), still, nullptr);\n  if (kept",
         "runs_test.no_receive_of_the_gateway_is_posted_after_the_end"),
    Twin("runs", "ANYBODY", RUNS, "    in_stream& its = *run.of;\n    if (run.missing == 0 &&",
         "    in_stream& its = *run.streams.begin()[run.streams.size() - 1];\n    if (run.missing == 0 &&",
         "runs_test.messages_of_several_streams_come_in_the_order_of_sending"),
    Twin("runs", "NONE_EARLY", RUNS, "  its.ahead = std::exchange(its.owed, 0);", "  its.ahead = 0;",
         "runs_test.what_comes_before_the_packet_in_which_it_begins_is_counted"),
    Twin("runs", "TAG_STAYS", STREAMS, "    short_ones = 0;\n    leave_next_tag(packet);", "    short_ones = 0;",
         "runs_test.the_next_tags_are_left_alone_when_it_ends", "gateway/outgoing.cpp"),
    # ---- work that ranks leave for whoever is inside the network ----
    Twin("network_lock", "NO_SECOND_LOOK", GATEWAY,
         "  } while (context_.has_work.load(std::memory_order_relaxed));", "  } while (false);",
         "left_work_test.a_message_that_is_left_while_all_work_is_done"),
    Twin("network_lock", "CLEAR_LATE", GATEWAY,
         """    context_.has_work.store(false, std::memory_order_relaxed);
    // seq_cst: before the ends are looked at. Who says so at one of them after that look sets has_work after this; and
    // what was said before has_work was set is seen. It pairs with the stores of has_work in leave_work() and
    // leave_for_later()
    std::atomic_thread_fence(std::memory_order_seq_cst);
    context_.has_unfinished = false;
    for (const auto& end : context_.ends) {
      // acquire: what the rank has left; pairs with the release in say_work()
      if (!end->has_work.exchange(false, std::memory_order_acquire)) continue;
      moved = true;
      work_at(*end);
    }
""", """    context_.has_unfinished = false;
    for (const auto& end : context_.ends) {
      if (!end->has_work.exchange(false, std::memory_order_acquire)) continue;
      moved = true;
      work_at(*end);
    }
    context_.has_work.store(false, std::memory_order_relaxed);
""", "left_work_test.a_message_that_is_left_by_a_rank_that_has_been_looked_at"),
    Twin("network_lock", "NO_TURN", "network/network_lock.hpp",
         """    if (taken_.load(std::memory_order_relaxed)) return false;
    // acquire: what the thread before has done inside; pairs with the release in give_back()
    return !taken_.exchange(true, std::memory_order_acquire);
""", "    return true;\n", "left_work_test.a_message_that_is_left_while_another_rank_does_its_own", GATEWAY),
    Twin("network_lock", "NO_LOOK_OF_OWN", GATEWAY, "  if (is_done) return serve_newcomers();", "  if (is_done) return;",
         "left_work_test.a_message_that_is_left_while_another_rank_does_its_own"),
    Twin("network_lock", "NO_LOOK_OF_OWN", "gateway/ranks.cpp",
         "    its = out_.send_directly(link, what);\n  }\n  serve_newcomers();",
         "    its = out_.send_directly(link, what);\n  }",
         "left_work_test.a_message_that_is_left_during_a_send_past_the_ring"),
    Twin("network_lock", "UNLIST_LATE", "gateway/outbox.cpp",
         """    link.is_listed.exchange(false, std::memory_order_acq_rel);  // a read and a write: see list()
    forward_from(link);
""", """    forward_from(link);
    for (volatile int i = 0; i < 100000;) i = i + 1;  // so that the moment is long enough
    link.is_listed.exchange(false, std::memory_order_acq_rel);
""", "left_work_by_threads.every_message_leaves_without_a_further_call_of_its_sender"),
    Twin("network_lock", "NO_ALARM", GATEWAY, "  context_.running->network_needs_a_look();\n", "",
         "left_for_later.an_alarm_comes_for_it"),
]

WITHOUT = {
    ("network_lock", "NO_FENCE_BEFORE"): "memory order: one fence fewer shows only where a store waits in its buffer",
    ("network_lock", "NO_FENCE_AFTER"): "memory order: the same",
    ("network_lock", "UNLIST_BY_STORE"): "memory order: a store in place of an exchange",
    ("network_lock", "ALARM_BACK_LATE"): "in src/runtime/monitor.cpp, and only where the watch is stopped between its"
                                         " last look and its store: no call is there in which a test could act",
}


def names_of(model):
    return sorted(set(re.findall(r"must fail:.*-DMUTATE_([A-Z_]+)", model.read_text())))


def stale(sources):
    """What is wrong with the table, as lines for people."""
    wrong = []
    tests = set()
    for file in (sources / "tests/unit/gateway").glob("*_test.cpp"):
        tests |= {".".join(name) for name in re.findall(r"^TEST(?:_F)?\((\w+), (\w+)\)", file.read_text(), re.M)}
    for twin in TWINS:
        name = f"{twin.model} {twin.mutation}"
        found = (sources / "src" / twin.file).read_text().count(twin.text)
        if found != 1:
            wrong.append(f"{name}: src/{twin.file} has the text {found} times: {twin.text.strip()}")
        if twin.test not in tests:
            wrong.append(f"{name}: tests/unit/gateway has no test {twin.test}")
        if twin.file.endswith(".hpp") != bool(twin.compiled):
            wrong.append(f"{name}: a header, and only that, needs a file that is compiled")
    for model in MODELS:
        named = names_of(sources / f"tests/model/{model}.pml")
        for mutation in named:
            if any((twin.model, twin.mutation) == (model, mutation) for twin in TWINS) == ((model, mutation) in WITHOUT):
                wrong.append(f"{model} {mutation}: either it has a twin, or WITHOUT says why it has none")
        known = {twin.mutation for twin in TWINS if twin.model == model} | {m for of, m in WITHOUT if of == model}
        wrong += [f"{model}.pml has no mutation {mutation}" for mutation in sorted(known - set(named))]
    return wrong


class Workshop:
    def __init__(self, sources, build, jobs):
        self.sources = sources
        self.build = build
        self.out = build / "mutations"
        self.out.mkdir(exist_ok=True)
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        commands = json.loads((build / "compile_commands.json").read_text())
        its = next(shlex.split(each["command"]) for each in commands if "/unit.gateway" in each["command"])
        self.compiler = [its[0], "-std=c++20", "-O0", "-w", "-DNDEBUG"]
        self.options = [each for each in its if each.startswith(("-D", "-I"))]
        ninja = subprocess.run(["ninja", "-C", build, "-t", "commands", "unit.gateway"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout
        link = shlex.split(ninja.strip().splitlines()[-1])
        self.libraries = [str(build / each) if each.endswith(".a") and not each.startswith("/") else each
                          for each in link if re.search(r"\.(a|so)(\.[0-9.]+)?$", each) or each.startswith("-l")]
        self.header = self.out / "usual.hpp"

    def run(self, command):
        done = subprocess.run([str(each) for each in command], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{shlex.join(str(each) for each in command)}\n{done.stdout}")

    def compile(self, source, into, before=()):
        newest = max(each.stat().st_mtime for each in (self.sources / "src").rglob("*.hpp"))
        newest = max(newest, source.stat().st_mtime, self.header.stat().st_mtime,
                     *(each.stat().st_mtime for each in (self.sources / "tests/support").glob("*.hpp")))
        if not before and into.exists() and into.stat().st_mtime > newest:
            return into
        self.run([*self.compiler, "-include", self.header, *before, *self.options, "-c", source, "-o", into])
        return into

    def base(self):
        """The objects of the gateway and of its tests, as they are."""
        text = "".join(f"#include <{each}>\n" for each in USUAL)
        if not self.header.exists() or self.header.read_text() != text:
            self.header.write_text(text)
            self.run([*self.compiler, *self.options, "-x", "c++-header", self.header, "-o", f"{self.header}.gch"])
        wanted = [*(self.sources / "src/gateway").glob("*.cpp"), *(self.sources / "tests/unit/gateway").glob("*_test.cpp"),
                  self.sources / "tests/support/main.cpp", self.sources / "tests/support/loopback_network.cpp"]
        made = [self.pool.submit(self.compile, each, self.out / f"{each.stem}.o") for each in sorted(wanted)]
        return [each.result() for each in made]

    def link(self, into, objects):
        self.run([self.compiler[0], "-Wl,-z,muldefs", *objects, "-o", into, *self.libraries, "-lpthread", "-ldl"])
        return into

    def passes(self, program, test):
        child = subprocess.Popen([program, f"--gtest_filter={test}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, start_new_session=True)
        try:
            said = child.communicate(timeout=60)[0]
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return False
        return child.returncode == 0 and "[  PASSED  ] 1 test." in said

    def catches(self, number, twin, base):
        folder = self.out / f"{number}_{twin.model}_{twin.mutation}"
        planted = folder / "src" / twin.file
        planted.parent.mkdir(parents=True, exist_ok=True)
        planted.write_text((self.sources / "src" / twin.file).read_text().replace(twin.text, twin.planted))
        source = self.sources / "src" / twin.compiled if twin.compiled else planted
        mutant = self.compile(source, folder / "mutant.o", ["-I", folder / "src"])
        others = [each for each in base if twin.compiled or each.stem != planted.stem]
        return not self.passes(self.link(folder / "tests", [mutant, *others]), twin.test)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--check-texts", action="store_true")
    arguments.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("sources", type=Path)
    arguments.add_argument("build", type=Path, nargs="?")
    arguments.add_argument("only", nargs="*")
    given = arguments.parse_args()
    wrong = stale(given.sources)
    for each in wrong:
        print(each, file=sys.stderr)
    if given.check_texts or (wrong and not given.only):
        return 1 if wrong else 0
    shop = Workshop(given.sources.resolve(), given.build.resolve(), given.jobs)
    base = shop.base()
    twins = [each for each in TWINS if not given.only or each.mutation in given.only]
    sound = shop.link(shop.out / "tests", base)
    failed = 0
    for test in sorted({each.test for each in twins}):
        if not shop.passes(sound, test):
            failed += 1
            print(f"FAILS WITHOUT ANY MUTATION: {test}")
    found = shop.pool.map(lambda each: shop.catches(*each, base), enumerate(twins))
    for twin, is_caught in zip(twins, found):
        failed += not is_caught
        print(f"{'caught' if is_caught else 'NOT CAUGHT':10} {twin.model:12} {twin.mutation:17} {twin.file}: {twin.test}",
              flush=True)
    print(f"{len(twins)} mutations, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
