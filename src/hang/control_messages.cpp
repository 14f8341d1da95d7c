#include "hang/control_messages.hpp"

#include <memory>
#include <string>

namespace pure::core {

void add(byte_packer& to, const std::vector<sleeper>& all) {
  to.add(static_cast<std::uint32_t>(all.size()));
  for (const sleeper& each : all) to.add(each.rank).add(each.sleep);
}

std::vector<sleeper> sleepers_in(byte_unpacker& from) {
  std::vector<sleeper> all(from.count());
  for (sleeper& each : all) {
    each.rank = from.number<int>();
    each.sleep = from.number<std::uint32_t>();
  }
  return all;
}

void add(byte_packer& to, const rank_state& state, std::int64_t now_ns) {
  to.add(state.now).add(state.rests).add(state.sleep);
  if (state.now != rank_state::doing::waiting) return;
  const parked_wait& wait = state.wait;
  const pure_call_site site = spelled_out(wait.what.site);
  to.add(std::string_view(wait.what.operation)).add(std::string_view(site.file)).add(site.line);
  to.add(std::string_view(wait.waiting_for.words)).add(std::string_view(wait.waiting_for.advice));
  to.add(wait.peer).add(wait.tag).add(wait.only_peer).add(now_ns - wait.since_ns);
  const wait_subject& about = wait.subject;
  to.add(about.name != nullptr ? std::string_view(*about.name) : std::string_view()).add(about.number);
  to.add(state.waits_for_holders).add(static_cast<std::uint32_t>(state.holders.size()));
  for (const holder& each : state.holders) to.add(each.rank).add(std::string_view(each.by));
}

rank_state rank_state_in(byte_unpacker& from, std::int64_t now_ns, kept_texts& texts) {
  rank_state state;
  state.now = from.number<rank_state::doing>();
  state.rests = from.number<bool>();
  state.sleep = from.number<std::uint32_t>();
  if (state.now != rank_state::doing::waiting) return state;
  parked_wait& wait = state.wait;
  const char* const operation = texts.keep(from.text());
  const char* const file = texts.keep(from.text());
  wait.what = call(operation, pure_call_site(file, from.number<unsigned>()));
  const char* const words = texts.keep(from.text());
  wait.waiting_for = {words, texts.keep(from.text())};
  wait.peer = from.number<int>();
  wait.tag = from.number<int>();
  wait.only_peer = from.number<bool>();
  wait.since_ns = now_ns - from.number<std::int64_t>();
  wait.subject.name = std::make_shared<const std::string>(from.text());
  wait.subject.number = from.number<std::uint64_t>();
  state.waits_for_holders = from.number<bool>();
  for (std::uint32_t left = from.count(); left > 0; --left) {
    const int rank = from.number<int>();
    state.holders.push_back({rank, std::string(from.text())});
  }
  return state;
}

}  // namespace pure::core
