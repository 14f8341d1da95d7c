#!/usr/bin/env python3
"""What a timeline of --trace must be, and what it must hold.

usage: timeline.py FILE [NAME=NUMBER...] [-- FILE ...]

NAME is one of: processes, ranks, helpers, dropped, sends, receives, sent_bytes, received_bytes, tasks, chunks (of tasks with a
slice; all must have been done), stolen, mains, waits, crossing (messages between processes). A number with a trailing +
is the least. whole=no: of a job that failed, or of a timeline that was full, which ends anywhere; or of one process of
several.
Exit status: 0, or 1 with everything that is wrong on standard output.
"""
import collections
import json
import sys

CATEGORIES = {"rank", "task", "chunk", "wait", "message"}


class Timeline:
    def __init__(self, path):
        self.wrong = []
        with open(path, encoding="utf-8") as file:
            self.all = json.load(file)
        self.other = self.all["otherData"]
        self.slices = []
        self.starts = {}
        self.ends = {}
        self.names = {}
        self.processes = {}
        self.process_of = {}  # by thread
        for event in self.all["traceEvents"]:
            self.take(event)

    def check(self, condition, text):
        if not condition:
            self.wrong.append(text)

    def take(self, event):
        phase = event["ph"]
        if "tid" in event:
            process = self.process_of.setdefault(event["tid"], event["pid"])
            self.check(event["pid"] == process, f"a thread of process {process}: {event}")
        if phase == "M":
            if event["name"] == "thread_name":
                self.check(event["tid"] not in self.names, f"a thread with two names: {event}")
                self.names[event["tid"]] = event["args"]["name"]
            elif event["name"] == "process_name":
                self.check(event["pid"] not in self.processes, f"a process with two names: {event}")
                self.processes[event["pid"]] = event["args"]["name"]
            else:
                known = event["name"] in ("process_sort_index", "thread_sort_index")
                self.check(known, f"unknown metadata: {event}")
        elif phase == "X":
            self.check(event["cat"] in CATEGORIES, f"unknown category: {event}")
            self.check(event["ts"] >= 0 and event["dur"] >= 0, f"a time below 0: {event}")
            self.slices.append(event)
        elif phase in ("s", "f"):
            flows = self.starts if phase == "s" else self.ends
            self.check(event["id"] not in flows, f"a second flow with this id and phase: {event}")
            self.check(event["cat"] == "message", f"a flow of another category: {event}")
            flows[event["id"]] = event
        elif phase == "C":
            self.check(event["cat"] == "lost", f"a counter of another category: {event}")
            self.check(0 <= event["args"]["percent"] <= 100, f"no part of a time: {event}")
        else:
            self.check(False, f"unknown phase: {event}")

    def of(self, category, name=None):
        return [each for each in self.slices if each["cat"] == category and name in (None, each["name"])]

    def check_threads(self):
        ranks, helpers = self.other["ranks"], self.other["helpers"]
        expected = {i: f"rank {i}" for i in range(ranks)}
        processes = range(self.other.get("processes", 1))
        if len(processes) == 1:
            expected |= {ranks + i: f"helper {i}" for i in range(helpers)}
        else:  # numbered in each process
            of = sorted(process for thread, process in self.process_of.items() if thread >= ranks)
            expected |= {ranks + i: f"helper {of[:i].count(p)} of process {p}" for i, p in enumerate(of)}
            self.check(len(of) == helpers, f"{len(of)} helpers, not {helpers}")
        if "process" in self.other:  # one of several: some of the ranks
            processes = [self.other["process"]]
            expected = {thread: name for thread, name in expected.items() if thread in self.names}
        self.check(self.names == expected, f"the threads are {self.names}")
        self.check(set(self.processes) == set(processes), f"the processes are {self.processes}")
        used = {each["tid"] for each in self.slices}
        self.check(used <= set(self.names), f"slices of unknown threads: {used}")

    def check_order(self):
        """The slices of a thread are in the order of their ends, and no two overlap in part."""
        rounding = 0.002
        for thread in self.names:
            slices = [(each["ts"], each["ts"] + each["dur"], each) for each in self.slices if each["tid"] == thread]
            for (_, end, _), (_, next_end, event) in zip(slices, slices[1:]):
                self.check(end <= next_end + rounding, f"it ends before the one before it: {event}")
            around = []
            for start, end, event in sorted(slices, key=lambda each: (each[0], -each[1])):
                while around and around[-1] <= start + rounding:
                    around.pop()
                self.check(not around or end <= around[-1] + rounding, f"it ends after what it is in: {event}")
                around.append(end)

    def check_flows(self, is_whole):
        for identity, end in self.ends.items():
            start = self.starts.get(identity)
            if start is None:
                self.check(not is_whole, f"a receive of nothing: {end}")
            else:
                late = self.other.get("clock_uncertainty_us", 0)
                self.check(start["ts"] <= end["ts"] + 2 * late, f"received before it was sent: {start} {end}")
        if is_whole:
            missing = set(self.starts) - set(self.ends)
            self.check(not missing, f"{len(missing)} sends were not received")
        # A flow begins and ends with a slice of its thread, of the same peers and tag.
        sends = {(each["tid"], each["ts"]): each for each in self.of("message", "send")}
        receives = collections.defaultdict(list)
        for each in self.of("message", "receive"):
            receives[each["tid"], round(each["ts"] + each["dur"], 3)].append(each)
        for identity, start in self.starts.items():
            send = sends.get((start["tid"], start["ts"]))
            self.check(send is not None, f"a flow that begins in no send: {start}")
            end = self.ends.get(identity)
            if send is None or end is None:
                continue
            self.check(send["args"]["to"] == end["tid"], f"sent elsewhere: {send} {end}")
            found = receives[end["tid"], round(end["ts"], 3)]
            fits = any(each["args"]["from"] == start["tid"] and each["args"]["tag"] == send["args"]["tag"] and
                       each["args"]["bytes"] <= send["args"]["bytes"] for each in found)
            self.check(fits, f"a flow that ends in no receive: {send} {end} {found}")

    def check_chunks(self, is_whole):
        """Chunks lie in a wait, a task, or a message (a large copy) of their thread, and are those of the task."""
        enclosing = collections.defaultdict(list)
        for each in self.slices:
            if each["cat"] in ("wait", "task", "message"):
                enclosing[each["tid"]].append((each["ts"], each["ts"] + each["dur"]))
        done = collections.Counter()
        for chunk in self.of("chunk"):
            first, last = chunk["ts"], chunk["ts"] + chunk["dur"]
            if is_whole:
                inside = any(a <= first + 0.002 and last <= b + 0.002 for a, b in enclosing[chunk["tid"]])
                self.check(inside, f"a chunk that is in no wait and no task: {chunk}")
            args = chunk["args"]
            self.check(self.process_of.get(args["owner"]) == chunk["pid"], f"stolen from another process: {chunk}")
            self.check(args["first"] <= args["last"], f"an empty chunk: {chunk}")
            for number in range(args["first"], args["last"] + 1):
                done[args["owner"], args["task"], number] += 1
        self.check(all(times == 1 for times in done.values()), "a chunk is there twice")
        self.chunks = 0
        for task in self.of("task"):
            args = task["args"]
            mine = sum(done[task["tid"], args["task"], number] for number in range(args["chunks"]))
            self.chunks += mine
            self.check(mine == args["chunks"] or not is_whole, f"{mine} chunks of {task}")

    def counts(self):
        bytes_of = lambda name: sum(each["args"]["bytes"] for each in self.of("message", name))
        crossing = [each for each in self.of("message", "send")
                    if self.process_of.get(each["args"]["to"]) not in (None, each["pid"])]
        return {
            "processes": len(self.processes),
            "crossing": len(crossing),
            "ranks": self.other["ranks"],
            "helpers": self.other["helpers"],
            "dropped": self.other["dropped_events"],
            "sends": len(self.of("message", "send")),
            "receives": len(self.of("message", "receive")),
            "sent_bytes": bytes_of("send"),
            "received_bytes": bytes_of("receive"),
            "tasks": len(self.of("task")),
            "chunks": self.chunks,
            "stolen": len([each for each in self.of("chunk") if each["args"]["owner"] != each["tid"]]),
            "mains": len(self.of("rank")),
            "waits": len(self.of("wait")),
        }


def check(path, *expected):
    timeline = Timeline(path)
    wanted = dict(each.split("=") for each in expected)
    is_whole = wanted.pop("whole", "yes") == "yes"
    timeline.check_threads()
    timeline.check_order()
    timeline.check_flows(is_whole)
    timeline.check_chunks(is_whole)
    counts = timeline.counts()
    for name, number in wanted.items():
        fits = counts[name] >= int(number[:-1]) if number.endswith("+") else counts[name] == int(number)
        timeline.check(fits, f"{name}: {counts[name]}, not {number}")
    for text in timeline.wrong:
        print(" ".join([path, *expected]) + ": " + text)
    return not timeline.wrong


def main(arguments):
    groups = [[]]
    for each in arguments:
        if each == "--":
            groups.append([])
        else:
            groups[-1].append(each)
    return 0 if all([check(*group) for group in groups]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
