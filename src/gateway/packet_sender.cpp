#include "gateway/packet_sender.hpp"

#include <algorithm>
#include <utility>

namespace pure::core {

packet* packet_sender::room_for(int process, std::size_t entry_bytes) {
  peer& to = context_.peers[static_cast<std::size_t>(process)];
  if (to.open != nullptr) {
    if (to.open->entries.has_room_for(entry_bytes)) return to.open.get();
    send_packet(to, process, std::move(to.open));
  }
  to.open = new_packet(to);
  if (to.open == nullptr) {
    context_.has_unfinished = true;
    return nullptr;
  }
  if (std::find(being_packed_.begin(), being_packed_.end(), process) == being_packed_.end()) {
    being_packed_.push_back(process);
  }
  return to.open.get();
}

std::unique_ptr<packet> packet_sender::new_packet(const peer& to) {
  packet* const made = pool_.first();
  if (made == nullptr) return nullptr;
  made->number = to.sent + 1;
  return pool_.take();
}

void packet_sender::send_packet(peer& to, int process, std::unique_ptr<packet> full) {
  const std::size_t bytes = full->entries.finish(to.dealt_with);
  full->entries.clear();
  to.dealt_with_as_told = to.dealt_with;
  ++to.sent;
  const auto send = [&] {
    return context_.net.send_message(full->going, process, envelope_cache::none, full->buffer.get(), bytes);
  };
  if (context_.pace.measured(bytes, send)) {
    pool_.give_back(std::move(full));
  } else {
    pool_.leaves(std::move(full));
  }
}

void packet_sender::send_all() {
  for (const int process : being_packed_) {
    peer& to = context_.peers[static_cast<std::size_t>(process)];
    if (to.open != nullptr) send_packet(to, process, std::move(to.open));
  }
  being_packed_.clear();
}

void packet_sender::say(int process, const said& what) {
  packet* const into = answers_.empty() ? room_for(process, sizeof(wire_answer)) : nullptr;
  if (into == nullptr) {
    answers_.emplace_back(process, what);
  } else {
    std::visit([&](const auto& each) { static_cast<void>(into->entries.add(each)); }, what);
  }
}

void packet_sender::send_answers() {
  while (!answers_.empty()) {
    const auto [process, what] = answers_.front();
    packet* const into = room_for(process, sizeof(wire_answer));
    if (into == nullptr) return;
    answers_.pop_front();
    std::visit([&](const auto& each) { static_cast<void>(into->entries.add(each)); }, what);
  }
}

void packet_sender::tell(peer& to, int process) {
  std::unique_ptr<packet> alone = new_packet(to);
  if (alone == nullptr) return;
  static_cast<void>(alone->entries.add(wire_nothing{}));
  send_packet(to, process, std::move(alone));
}

void packet_sender::has_left(packet& full) {
  if (full.lent_by != nullptr) std::exchange(full.lent_by, nullptr)->give_back();  // and notifies
  pool_.has_left(full);
}

void packet_sender::add_open_accounts(open_accounts& to) const {
  to.add("packets that are being packed", being_packed_.size());
  to.add("packets on their way", pool_.on_their_way());
  to.add("answers without room", answers_.size());
}

}  // namespace pure::core
