#include "gateway/special_ways.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>

#include <pure/error.hpp>

#include "base/printable_text.hpp"

namespace pure::core {

special_ways special_ways::without(std::string_view list) {
  struct named {
    std::string_view name;
    bool special_ways::*way;
  };
  static constexpr std::array all{named{"direct", &special_ways::direct},     named{"bare", &special_ways::bare},
                                  named{"foreseen", &special_ways::foreseen}, named{"runs", &special_ways::runs},
                                  named{"pacing", &special_ways::pacing},     named{"given", &special_ways::given}};
  special_ways ways;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), word.size() + 1));
    const auto* const found = std::find_if(all.begin(), all.end(),
                                           [&](const named& each) { return each.name == word; });
    if (found == all.end()) {
      std::string names;
      for (const named& each : all) names += (names.empty() ? "" : ", ") + std::string(each.name);
      throw Error(errc::argument, fmt::format("PURE_NET_WITHOUT: \"{}\" is none of {}", printable_word(word), names));
    }
    ways.*found->way = false;
  }
  return ways;
}

}  // namespace pure::core
