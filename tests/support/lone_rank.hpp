// One rank's end of an aggregation in parts, without what moves them: for tests of each part by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aggregation/item_channel.hpp"
#include "aggregation/item_sender.hpp"

namespace test_support {

/// Says what a channel has asked for.
class noted_follow_up final : public pure::core::send_follow_up {
 public:
  void has_pushed(const pure::core::call& /*by*/, int dest) override {
    said += "pushed " + std::to_string(dest) + "; ";
  }
  void has_opened(const pure::core::call& /*by*/) override { said += "opened; "; }

  std::string said;
};

/// A rank of two in one process; the other one is a place where buffers arrive.
struct lone_rank {
  explicit lone_rank(pure::core::rank_context& self, std::size_t buffer_bytes = 32)
      : part(*new pure::core::aggregation_part({{0, 0}, {0, 1}}, 0, std::vector{0},
                                               {.buffer_bytes = buffer_bytes, .name = "alone"}, nullptr)),
        handlers(self),
        checks(self, handlers, stage, 0, 2, std::make_shared<const std::string>("alone")) {
    for (pure::core::part_member& each : part.members().all()) each.owner = &self;
  }
  lone_rank(const lone_rank&) = delete;
  lone_rank& operator=(const lone_rank&) = delete;
  ~lone_rank() {
    part.release();
    part.release();
  }

  /// Of items of 8 bytes; the number of the first is 0.
  [[nodiscard]] std::unique_ptr<pure::core::item_channel> channel(pure::detail::channel_request wanted = {},
                                                                  std::size_t number = 0) {
    wanted.item_bytes = 8;
    return std::make_unique<pure::core::item_channel>(
        pure::core::channel_home{part.layout(), checks, sender, part.shared(), behind}, number, wanted);
  }
  void send(pure::core::item_channel& to, std::uint64_t item, int dest) {
    pure::detail::item_route& route = to.sends().routes[dest];
    std::memcpy(route.at, &item, sizeof item);
    route.at += sizeof item;
    if (route.at == route.end) to.route_is_full({"send", {}}, dest);
  }
  /// What the other rank has got.
  std::vector<std::uint64_t> arrived() {
    std::vector<std::uint64_t> items;
    pure::core::item_buffer* const all = part.at(1).inbox.take();
    for (pure::core::item_buffer* each = all; each != nullptr; each = each->next) {
      each->credit->give_back(each->whole_bytes());
      for (std::uint32_t i = 0; i < each->count; ++i) {
        std::uint64_t item;
        std::memcpy(&item, each->items() + i * sizeof item, sizeof item);
        items.push_back(item);
      }
    }
    delete_buffers(all);
    return items;
  }
  [[nodiscard]] std::string accounts() {
    pure::core::open_accounts open;
    sender.add_open_accounts(open);
    return open.text();
  }

  pure::core::aggregation_part& part;
  pure::core::handler_state handlers;
  pure::core::rank_stage stage;
  pure::core::call_checks checks;
  pure::core::spare_buffers spare{part.spare()};
  pure::core::arrival_queues own;
  pure::core::item_sender sender{part, 0, stage, checks, spare, own, false};
  noted_follow_up behind;
};

}  // namespace test_support
