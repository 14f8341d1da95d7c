#include "base/call_site.hpp"

#include <fmt/core.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace pure::core {

namespace {

constinit std::atomic<address_resolver> resolver{nullptr};

}  // namespace

address_resolver set_address_resolver(address_resolver next) noexcept {
  // acq_rel: whatever the function reads; see resolved()
  return resolver.exchange(next, std::memory_order_acq_rel);
}

pure_call_site resolved(const void* address) {
  static std::mutex guard;
  // Never destroyed: texts live for ever. By resolver, for tests have others.
  static auto& texts = *new std::map<std::pair<const void*, address_resolver>, std::string>;
  const address_resolver resolve = resolver.load(std::memory_order_acquire);  // acquire: see set_address_resolver()
  const std::pair key{address, resolve};
  {
    const std::lock_guard lock(guard);
    if (const auto known = texts.find(key); known != texts.end()) return {known->second.c_str(), 0};
  }
  std::string text = resolve != nullptr ? resolve(address) : std::string();  // takes long: without the lock
  if (text.empty()) text = fmt::format("{}", address);
  const std::lock_guard lock(guard);
  return {texts.try_emplace(key, std::move(text)).first->second.c_str(), 0};
}

std::string to_text(const site_of_call& site) {
  const pure_call_site known = spelled_out(site);
  if (known.file == nullptr || *known.file == '\0') return {};
  return known.line == 0 ? known.file : fmt::format("{}:{}", known.file, known.line);
}

}  // namespace pure::core
