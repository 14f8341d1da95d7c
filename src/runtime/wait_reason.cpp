#include "runtime/wait_reason.hpp"

#include <fmt/core.h>

#include <mutex>
#include <set>

namespace pure::core {

const char* kept_for_ever(const std::string& text) {
  static std::mutex guard;
  static auto* const kept = new std::set<std::string>;  // never destroyed: reports are written at the end, too
  const std::lock_guard lock(guard);
  return kept->insert(text).first->c_str();
}

std::string text_of_condition(const wait_reason& reason) {
  std::string text = reason.waiting_for;
  if (reason.peer == wait_reason::anybody) text += " any rank";
  if (reason.peer >= 0) text += fmt::format(" rank {}", reason.peer);
  if (reason.peer != wait_reason::nobody && reason.tag != wait_reason::no_tag) {
    text += reason.tag == wait_reason::any_tag ? std::string(", any tag") : fmt::format(", tag {}", reason.tag);
  }
  return text;
}

std::string describe(int rank, const wait_reason& reason) {
  std::string text = fmt::format("rank {} waits in {} for {}", rank, reason.what.operation, text_of_condition(reason));
  if (const std::string site = to_text(reason.what.site); !site.empty()) text += ", at " + site;
  return text;
}

}  // namespace pure::core
