#include "gateway/text_table.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "match/match_engine.hpp"
#include "match/message_checks.hpp"
#include "match/message_content.hpp"

namespace pure::core {

/// The number under which the process knows the text, after the packets that are on their way. None if there is no room
/// to tell it now.
std::optional<std::uint32_t> text_table::number_of_text(int process, const char* text) {
  if (text == nullptr) return 0;
  auto& told = context_.peers[static_cast<std::size_t>(process)].told;
  const std::string_view whole(text);
  if (const auto known = told.find(whole); known != told.end()) return known->second;
  wire_text part;
  part.number = static_cast<std::uint32_t>(told.size()) + 1;
  std::size_t at = 0;
  do {
    part.position = static_cast<std::uint32_t>(at);
    part.bytes = std::min(whole.size() - at, context_.largest_inside);
    packet* const into = packets_.room_for(process, sizeof part + wire::padded(part.bytes));
    if (into == nullptr) return std::nullopt;
    std::memcpy(into->entries.add(part), whole.data() + at, part.bytes);
    at += part.bytes;
  } while (at < whole.size());
  told.emplace(whole, part.number);
  return part.number;
}

bool text_table::describe(const local_end& end, int process, record& leaving, outgoing& message) {
  const char* const type = leaving.kind() == record_kind::moved ? object_in(leaving).serialized_type() : nullptr;
  const message_checks* const checks = match_engine::of(*end.rank).checks();
  send_log::sender by{};
  if (checks != nullptr) by = checks->sends().find(leaving.number).value_or(by);
  if (type == nullptr && checks == nullptr) return true;
  const auto object_type = number_of_text(process, type);
  const auto operation = number_of_text(process, by.operation);
  const pure_call_site site = spelled_out(by.site);
  const auto file = number_of_text(process, site.file);
  if (!object_type || !operation || !file) return false;
  message.note = {.operation = *operation,
                  .file = *file,
                  .line = site.line,
                  .object_type = *object_type,
                  .message_number = leaving.number};
  return true;
}

void text_table::hear_text(int process, const wire_text& part, const std::byte* payload) {
  auto& texts = context_.peers[static_cast<std::size_t>(process)].texts;
  if (part.number > texts.size()) texts.resize(part.number);
  std::string& text = texts[part.number - 1];
  text.resize(part.position);
  text.append(reinterpret_cast<const char*>(payload), part.bytes);
}

const char* text_table::text_of(int process, std::uint32_t number) const {
  return number == 0 ? nullptr : context_.peers[static_cast<std::size_t>(process)].texts.at(number - 1).c_str();
}

void text_table::note_call(int process, int sender, const wire_note& note) {
  if (note.operation == 0) return;
  auto& log = calls_[static_cast<std::size_t>(sender)];
  if (log == nullptr) log = std::make_unique<send_log>();
  log->copy(note.message_number, {text_of(process, note.operation), {text_of(process, note.file), note.line}});
}

}  // namespace pure::core
