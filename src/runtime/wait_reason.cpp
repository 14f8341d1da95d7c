#include "runtime/wait_reason.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace pure::core {

namespace {

constexpr std::string_view place_of_name = "{name}", place_of_number = "{number}";

}  // namespace

std::string text_of_words(std::string_view words, std::string_view name, std::uint64_t number) {
  std::string text;
  while (!words.empty()) {
    const std::size_t place = std::min(words.find('{'), words.size());
    text += words.substr(0, place);
    words.remove_prefix(place);
    if (words.starts_with(place_of_name)) {
      text += name;
      words.remove_prefix(place_of_name.size());
    } else if (words.starts_with(place_of_number)) {
      text += std::to_string(number);
      words.remove_prefix(place_of_number.size());
    } else if (!words.empty()) {
      text += words.front();
      words.remove_prefix(1);
    }
  }
  return text;
}

std::string text_of_peer(int peer, int tag) {
  std::string text;
  if (peer == wait_reason::anybody) text += " any rank";
  if (peer >= 0) text += fmt::format(" rank {}", peer);
  if (peer != wait_reason::nobody && tag != wait_reason::no_tag) {
    text += tag == wait_reason::any_tag ? std::string(", any tag") : fmt::format(", tag {}", tag);
  }
  return text;
}

std::string text_of_condition(const wait_reason& reason) {
  const wait_subject none, &about = reason.subject != nullptr ? *reason.subject : none;
  return text_of_words(reason.waiting_for.words, about.name != nullptr ? *about.name : "", about.number) +
         text_of_peer(reason.peer, reason.tag);
}

std::string describe(int rank, const wait_reason& reason) {
  std::string text = fmt::format("rank {} waits in {} for {}", rank, reason.what.operation, text_of_condition(reason));
  if (const std::string site = to_text(reason.what.site); !site.empty()) text += ", at " + site;
  return text;
}

}  // namespace pure::core
