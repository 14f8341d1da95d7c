#include "purerun/own_name.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "base/printable_text.hpp"
#include "base/say.hpp"

namespace purerun {
namespace {

struct lookup {
  std::string name;
  std::mutex mutex;
  std::condition_variable changed;
  bool has_ended = false;
};

void say_so(const std::string& name, const char* how) noexcept {
  pure::core::say([&] {
    const std::string shown = pure::core::printable_word(name);
    return fmt::format(
        "purerun: warning: this machine's own name, {0}, does not resolve{1}: an MPI looks it up when it starts, which may "
        "take many seconds. Add the line '127.0.1.1 {0}' to /etc/hosts.\n",
        shown, how);
  });
}

// In its own time; the name belongs to both threads.
void look_up(const std::shared_ptr<lookup>& it) noexcept {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const bool is_found = getaddrinfo(it->name.c_str(), nullptr, &hints, &found) == 0;
  if (is_found) freeaddrinfo(found);
  {
    const std::lock_guard lock(it->mutex);
    if (it->has_ended) return;  // too late, and that has been said
    it->has_ended = true;
  }
  it->changed.notify_one();
  if (!is_found) say_so(it->name, "");
}

void watch(const std::shared_ptr<lookup>& it) noexcept {
  std::unique_lock lock(it->mutex);
  const auto limit = std::chrono::milliseconds(longest_lookup_ms);
  if (it->changed.wait_for(lock, limit, [&] { return it->has_ended; })) return;
  it->has_ended = true;
  lock.unlock();
  say_so(it->name, " within a second");
}

}  // namespace

void watch_own_name() noexcept {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0') return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the main thread's
  try {
    const auto it = std::make_shared<lookup>();
    it->name = name.data();
    std::thread([it] { look_up(it); }).detach();
    std::thread([it] { watch(it); }).detach();
  } catch (const std::exception&) {  // no threads, no memory: then without it
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace purerun
