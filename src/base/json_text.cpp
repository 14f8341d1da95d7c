#include "base/json_text.hpp"

#include <nlohmann/json.hpp>

namespace pure::core {

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace pure::core
