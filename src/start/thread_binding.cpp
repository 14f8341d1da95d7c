#include "start/thread_binding.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>

#include "base/libc.hpp"

namespace pure::core {

namespace {

constexpr std::size_t bits_per_word = 8 * sizeof(unsigned long);

/// As many as Linux can have, and more: it refuses to tell a mask for which there is no room.
constexpr std::size_t most_cpus = 65'536;

/// For a rank's own thread whose share is wider than its own cpus.
constinit thread_local const share_of_rank* share_of_this_thread = nullptr;

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

void cpu_mask::bind_this_thread() const noexcept {
  if (bytes() == 0) return;
  pthread_setaffinity_np(pthread_self(), bytes(), static_cast<const cpu_set_t*>(data()));
}

bool cpu_mask::is_of_this_thread() const noexcept {
  std::array<unsigned long, most_cpus / bits_per_word> now{};
  auto* const set = reinterpret_cast<cpu_set_t*>(now.data());
  if (words_.empty() || pthread_getaffinity_np(pthread_self(), sizeof now, set) != 0) return false;
  const auto end_of_these = now.begin() + static_cast<std::ptrdiff_t>(words_.size());
  return std::equal(now.begin(), end_of_these, words_.begin()) &&
         std::all_of(end_of_these, now.end(), [](unsigned long word) { return word == 0; });
}

thread_binding::thread_binding(std::span<const int> cpus) : before_(cpu_mask::of_this_thread()) {
  cpu_mask(cpus).bind_this_thread();
}

thread_binding::~thread_binding() { before_.bind_this_thread(); }

bool are_new_threads_seen() noexcept {
  constexpr const char* name = "pthread_create";
  static const bool are_seen = dlsym(RTLD_DEFAULT, name) != libc::next_definition(name);
  return are_seen;
}

share_of_rank::share_of_rank(std::span<const int> own, std::span<const int> share) : own_(own), share_(share) {
  if (own.empty() || std::equal(own.begin(), own.end(), share.begin(), share.end())) return;
  static const int heard_of_forks = pthread_atfork(nullptr, nullptr, [] { use_whole(); });
  static_cast<void>(heard_of_forks);
  share_of_this_thread = this;
}

share_of_rank::~share_of_rank() { share_of_this_thread = nullptr; }

bool share_of_rank::use_whole() noexcept {
  const share_of_rank* const here = share_of_this_thread;
  if (here == nullptr || !here->own_.is_of_this_thread()) return false;
  here->share_.bind_this_thread();
  return true;
}

bool share_of_rank::use_own() noexcept {
  const share_of_rank* const here = share_of_this_thread;
  if (here == nullptr || !here->share_.is_of_this_thread()) return false;
  here->own_.bind_this_thread();
  return true;
}

}  // namespace pure::core
