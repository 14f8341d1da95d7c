#include "aggregation/channel_records.hpp"

#include <fmt/core.h>

#include <cstring>

namespace pure::core {

namespace {

/// Before type and site.
struct record_head {
  std::uint32_t item_bytes = 0;
  std::int32_t by = 0;
  std::uint16_t type_bytes = 0;
  std::uint16_t is_combining = 0;
};

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

std::vector<std::byte> to_bytes(const channel_record& told) {
  const record_head head{.item_bytes = static_cast<std::uint32_t>(told.item_bytes),
                         .by = told.by,
                         .type_bytes = static_cast<std::uint16_t>(told.type.size()),
                         .is_combining = told.is_combining};
  std::vector<std::byte> bytes(sizeof head + told.type.size() + told.site.size());
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, told.type.data(), told.type.size());
  std::memcpy(bytes.data() + sizeof head + told.type.size(), told.site.data(), told.site.size());
  return bytes;
}

std::optional<channel_record> channel_record_from(std::span<const std::byte> bytes) {
  record_head head;
  if (bytes.size() < sizeof head) return {};
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::string text(reinterpret_cast<const char*>(bytes.data()) + sizeof head, bytes.size() - sizeof head);
  if (head.type_bytes > text.size() || head.item_bytes == 0) return {};
  return channel_record{.type = text.substr(0, head.type_bytes),
                        .item_bytes = head.item_bytes,
                        .is_combining = head.is_combining != 0,
                        .by = head.by,
                        .site = text.substr(head.type_bytes)};
}

}  // namespace pure::core
