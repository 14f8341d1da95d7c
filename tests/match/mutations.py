#!/usr/bin/env python3
"""Mistakes that matching invites, planted in it (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

SHORT = "match/short_path.hpp"
ENGINE = "match/match_engine.cpp"
ORDER = "matching_order_test.is_what_the_standard_allows"
MANY = "matching_order_test.also_where_many_wait"

TWINS = [
    # ---- a receive that names its sender, and one from any source that was posted before it ----
    Twin("", "NAMED_OVERTAKES_ANY", SHORT, "channel.posted.front() == &op && posted_any_.empty() && op.matches",
         "channel.posted.front() == &op && op.matches", ORDER, "match/requests.cpp"),
    Twin("", "ALONE", ENGINE, "    posted_any_.push(op);\n    any_posted_has_changed();\n", "    posted_any_.push(op);\n",
         ORDER),
    Twin("", "ANY_OVERTAKES_NAMED", ENGINE, "any.at.entry->order < found.at.entry->order", "true", ORDER),
    Twin("", "NAMED_FIRST", ENGINE, "(any.at.entry != nullptr && any.at.entry->order < found.at.entry->order)", "false",
         ORDER),
    Twin("", "ANY_TAKES_FROM_THE_RING", ENGINE, "return arrived != nullptr && each.posted.empty() && op.matches",
         "return arrived != nullptr && op.matches", ORDER),
    Twin("", "NO_ORDER", ENGINE, "  op.order = receives_posted_++;\n  if (op.from == any_source) {",
         "  if (op.from == any_source) {", ORDER),
    # ---- messages of one sender ----
    Twin("", "RING_BEFORE_EARLY", ENGINE, "  if (take_early(channel, op)) return;\n  channel.posted.push(op);",
         "  channel.posted.push(op);", ORDER),
    Twin("", "TAKES_WITHDRAWN", ENGINE, "  if (claim && !claim.take()) return pop(channel, arrived);  // it was cancelled\n",
         "  if (claim) static_cast<void>(claim.take());\n", ORDER),
    Twin("", "TAG_ALONE", "match/receive_op.hpp", "return context == who.context && (tag == who.tag || tag == any_tag);",
         "return (tag == who.tag || tag == any_tag);", ORDER, ENGINE),
    # ---- queues with an index ----
    Twin("", "KEPT_IN_QUEUE", ENGINE, "  found.queue->remove(found.at);\n", "", ORDER),
    # ---- what is counted ----
    Twin("", "EARLY_NOT_COUNTED_DOWN", "match/unexpected_messages.cpp", "  --channel.unexpected_count;\n", "", MANY),
    Twin("", "CLAIM_KEPT", "match/send_queue.cpp",
         "    op.is_taken_back = op.claim->was_taken_back();\n    claims_.give_back(*op.claim);\n",
         "    op.is_taken_back = op.claim->was_taken_back();\n", ORDER),
    Twin("", "OVERHEAD_KEPT", "match/send_buffer.cpp", "  in_use_ -= which->op.bytes + overhead;",
         "  in_use_ -= which->op.bytes;", "send_buffer_test.has_all_its_room_again_however_often_it_was_full"),
    Twin("", "ONE_BYTE_LESS", "match/send_buffer.hpp", "left >= overhead && left - overhead >= bytes;",
         "left > overhead && left - overhead > bytes;", "send_buffer_test.keeps_what_fits_to_the_byte",
         "match/send_buffer.cpp"),
    Twin("", "PLACE_NOT_MOVED", "match/send_queue.cpp", "  last->offered_index = op.offered_index;\n", "", ORDER),
    Twin("", "OFFERED_KEPT", "match/send_queue.cpp", "    if (op.now == send_op::stage::offered) forget_offered(op);\n", "",
         ORDER),
]

if __name__ == "__main__":
    sys.exit(run(Room("match", (), TWINS, {})))
