#include "aggregation/channel_records.hpp"

#include <fmt/core.h>

#include <span>

namespace pure::core {

namespace {

std::string text_of(const channel_record& record) {
  return fmt::format("of {} ({} bytes{}){}{}", record.type, record.item_bytes, record.is_combining ? ", combining" : "",
                     record.site.empty() ? "" : ", at ", record.site);
}

}  // namespace

std::string difference(std::size_t number, const channel_record& made, const channel_record& agreed) {
  if (agreed.is_same_as(made)) return {};
  return fmt::format(
      "its channel {} is {}, but that of rank {} is {}: all ranks make the same channels in the same order", number,
      text_of(made), agreed.by, text_of(agreed));
}

std::vector<std::byte> packet_of_channel(std::size_t number, const channel_record& told) {
  return packet_bytes(channel_packet{.is_combining = told.is_combining,
                                     .channel = static_cast<std::uint16_t>(number),
                                     .item_bytes = static_cast<std::uint32_t>(told.item_bytes),
                                     .by = static_cast<std::uint32_t>(told.by),
                                     .type_bytes = static_cast<std::uint16_t>(told.type.size()),
                                     .site_bytes = static_cast<std::uint16_t>(told.site.size())},
                      told.type, told.site);
}

std::optional<channel_record> channel_told_by(const channel_packet& what, std::span<const std::byte> rest,
                                              std::size_t ranks) {
  if (what.is_combining > 1 || what.by >= ranks) return {};
  if (what.item_bytes == 0 || what.item_bytes > most_item_bytes) return {};
  if (what.type_bytes > channel_record::most_text || what.site_bytes > channel_record::most_text) return {};
  if (rest.size() != std::size_t{what.type_bytes} + what.site_bytes) return {};
  const std::string text(reinterpret_cast<const char*>(rest.data()), rest.size());
  return channel_record{.type = text.substr(0, what.type_bytes),
                        .item_bytes = what.item_bytes,
                        .is_combining = what.is_combining == 1,
                        .by = static_cast<int>(what.by),
                        .site = text.substr(what.type_bytes)};
}

}  // namespace pure::core
