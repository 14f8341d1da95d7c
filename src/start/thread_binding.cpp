#include "start/thread_binding.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

namespace pure::core {

namespace {

constexpr std::size_t bits_per_word = 8 * sizeof(unsigned long);

/// As many as Linux can have, and more: it refuses to tell a mask for which there is no room.
constexpr std::size_t most_cpus = 65'536;

void bind_this_thread(const cpu_mask& to) noexcept {
  if (to.bytes() == 0) return;
  pthread_setaffinity_np(pthread_self(), to.bytes(), static_cast<const cpu_set_t*>(to.data()));
}

}  // namespace

cpu_mask::cpu_mask(std::span<const int> cpus) {
  if (cpus.empty()) return;
  words_.resize(static_cast<std::size_t>(*std::max_element(cpus.begin(), cpus.end())) / bits_per_word + 1);
  for (const int cpu : cpus) {
    const auto bit = static_cast<std::size_t>(cpu);
    words_[bit / bits_per_word] |= 1UL << (bit % bits_per_word);
  }
}

cpu_mask cpu_mask::of_this_thread() {
  cpu_mask found({});
  found.words_.resize(most_cpus / bits_per_word);
  auto* const set = reinterpret_cast<cpu_set_t*>(found.words_.data());
  if (pthread_getaffinity_np(pthread_self(), found.bytes(), set) != 0) found.words_.clear();
  return found;
}

thread_binding::thread_binding(std::span<const int> cpus) : before_(cpu_mask::of_this_thread()) {
  bind_this_thread(cpu_mask(cpus));
}

thread_binding::~thread_binding() { bind_this_thread(before_); }

}  // namespace pure::core
