#include "hang/control_messages.hpp"

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
  to.add(std::string_view(wait.what.operation)).add(std::string_view(wait.what.site.file)).add(wait.what.site.line);
  to.add(std::string_view(wait.waiting_for)).add(wait.peer).add(wait.tag).add(wait.only_peer);
  to.add(now_ns - wait.since_ns);
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
  wait.waiting_for = texts.keep(from.text());
  wait.peer = from.number<int>();
  wait.tag = from.number<int>();
  wait.only_peer = from.number<bool>();
  wait.since_ns = now_ns - from.number<std::int64_t>();
  return state;
}

}  // namespace pure::core
