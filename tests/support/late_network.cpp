// A network that takes its time, as an MPI may: receives are taken back some polls after cancel() has been asked for
// it, messages and short payloads leave some polls after they are sent, until when their memory is read by nobody else,
// messages are handed over some polls after they have come, and a send takes as long as one over TCP. Those MPIs that
// we test with do the first three at once. A plug-in around another one, that of the same file name in the folder
// PURETEST_PLUGINS.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "network/network.hpp"

namespace {

using namespace pure::core;

class late_network final : public network, private network_events {
 public:
  explicit late_network(network* of) : of_(of) { peers_ = of_->peers(); }

  bool cancel(network_operation& receiving) override {
    // Not in the order of asking.
    asked_.push_back({&receiving, some_polls(++cancels_, 41)});
    return false;
  }
  bool poll(network_events& events) override {
    to_ = &events;
    bool moved = false;
    for (std::size_t i = asked_.size(); i-- > 0;) {
      if (--asked_[i].polls_left > 0) continue;
      network_operation& its = *asked_[i].operation;
      asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(i));
      moved = true;
      if (of_->cancel(its)) events.operation_done(its);
    }
    while (!leaving_.empty() && --leaving_.front().polls_left == 0) send_first(leaving_, &network::send_message);
    while (!leaving_short_.empty() && --leaving_short_.front().polls_left == 0) send_first_short();
    while (!arriving_.empty() && --arriving_.front().polls_left == 0) {
      const arrived next = std::move(arriving_.front());
      arriving_.pop_front();
      moved = true;
      events.message_arrived(next.from_process, next.tag, next.data.data(), next.data.size());
    }
    while (!done_.empty()) {
      network_operation& its = *done_.back();
      done_.pop_back();
      moved = true;
      events.operation_done(its);
    }
    return of_->poll(*this) || moved;
  }

  bool send_message(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    take_long();
    leaving_.push_back({&sending, process, tag, data, bytes, some_polls(++sends_, 5)});
    return false;
  }
  bool send(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    while (!leaving_short_.empty()) send_first_short();  // those of the same tag are before it
    return of_->send(sending, process, tag, data, bytes);
  }
  bool send_short(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    take_long();
    if (bytes > peers_.message_bytes) ++large_;
    leaving_short_.push_back({&sending, process, tag, data, bytes, some_polls(++short_sends_, 23)});
    return false;
  }
  bool receive(network_operation& receiving, int process, int tag, void* data, std::size_t bytes) override {
    return of_->receive(receiving, process, tag, data, bytes);
  }
  [[noreturn]] void abort(int status) noexcept override {
    of_->abort(status);
    __builtin_unreachable();  // GCC does not see it in a virtual call
  }
  void finalize(int status) override {
    std::fprintf(stderr, "late cancels: %u, late sends: %u, late short payloads: %u, of these large: %u\n", cancels_,
                 sends_, short_sends_, large_);
    of_->finalize(status);
  }

 private:
  struct asked {
    network_operation* operation;
    unsigned polls_left;
  };
  struct message {
    network_operation* sending;
    int process;
    int tag;
    const void* data;
    std::size_t bytes;
    unsigned polls_left;  // when it is the first
  };

  struct arrived {
    int from_process;
    int tag;
    std::vector<std::byte> data;
    unsigned polls_left;  // when it is the first
  };

  void send_first(std::deque<message>& leaving, decltype(&network::send_message) how) {
    const message next = leaving.front();
    leaving.pop_front();
    if (((*of_).*how)(*next.sending, next.process, next.tag, next.data, next.bytes)) done_.push_back(next.sending);
  }
  void send_first_short() { send_first(leaving_short_, &network::send_short); }

  static void take_long() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(2);
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  /// 1 to `most`, as by chance.
  static unsigned some_polls(unsigned number, unsigned most) noexcept { return 1 + number * 2'654'435'769U % most; }

  void message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) override {
    arriving_.push_back({from_process, tag, {data, data + bytes}, some_polls(++arrivals_, 31)});
  }
  void operation_done(network_operation& done) override {
    std::erase_if(asked_, [&](const asked& each) { return each.operation == &done; });  // something had come
    to_->operation_done(done);
  }

  const std::unique_ptr<network> of_;
  network_events* to_ = nullptr;
  std::vector<asked> asked_;
  std::deque<message> leaving_, leaving_short_;  // each in the order of sending
  std::deque<arrived> arriving_;                 // in the order of arrival
  std::vector<network_operation*> done_;         // of those
  unsigned cancels_ = 0, sends_ = 0, short_sends_ = 0, large_ = 0, arrivals_ = 0;
};

}  // namespace

extern "C" [[gnu::visibility("default")]] network* pure_open_network(network_opening& opening) {
  Dl_info self{};
  const char* const folder = std::getenv("PURETEST_PLUGINS");  // NOLINT(concurrency-mt-unsafe): nobody changes it
  if (folder == nullptr || dladdr(reinterpret_cast<void*>(&pure_open_network), &self) == 0) std::abort();
  const std::string here = self.dli_fname;
  void* const plugin = dlopen((folder + here.substr(here.rfind('/'))).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) std::abort();
  network* const opened = reinterpret_cast<open_network_function>(dlsym(plugin, open_network_symbol))(opening);
  return opened == nullptr ? nullptr : new late_network(opened);
}
