// A network whose receives are taken back some polls after cancel() has been asked for it, as an MPI may: those that we
// test with do it at once. A plug-in around another one, that of the same file name in the folder PURETEST_PLUGINS.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "transport/network.hpp"

namespace {

using namespace pure::core;

class late_cancels final : public network, private network_events {
 public:
  explicit late_cancels(network* of) : of_(of) { peers_ = of_->peers(); }

  bool cancel(network_operation& receiving) override {
    // Not in the order of asking.
    asked_.push_back({&receiving, 1 + ++count_ * 2'654'435'769U % 41});
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
    return of_->poll(*this) || moved;
  }

  bool send_message(network_operation& sending, int process, const void* data, std::size_t bytes) override {
    return of_->send_message(sending, process, data, bytes);
  }
  bool send(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    return of_->send(sending, process, tag, data, bytes);
  }
  bool receive(network_operation& receiving, int process, int tag, void* data, std::size_t bytes) override {
    return of_->receive(receiving, process, tag, data, bytes);
  }
  bool duplicate(network_operation& making, int group, int& made) override {
    return of_->duplicate(making, group, made);
  }
  void release(int group) override { of_->release(group); }
  bool barrier(network_operation& meeting, int group) override { return of_->barrier(meeting, group); }
  bool broadcast(network_operation& sharing, int group, int root, void* data, std::size_t bytes) override {
    return of_->broadcast(sharing, group, root, data, bytes);
  }
  bool all_gather(network_operation& gathering, int group, const void* mine, std::size_t bytes, void* all) override {
    return of_->all_gather(gathering, group, mine, bytes, all);
  }
  bool all_reduce(network_operation& reducing, int group, const void* mine, void* result, std::size_t count,
                  pure_datatype type, pure_op op) override {
    return of_->all_reduce(reducing, group, mine, result, count, type, op);
  }
  [[nodiscard]] bool can_reduce(pure_datatype type, pure_op op) const noexcept override {
    return of_->can_reduce(type, op);
  }
  [[noreturn]] void abort(int status) noexcept override {
    of_->abort(status);
    __builtin_unreachable();  // GCC does not see it in a virtual call
  }
  void finalize(int status) override {
    if (peers_.process == 0) std::fprintf(stderr, "late cancels: %u\n", count_);
    of_->finalize(status);
  }

 private:
  struct asked {
    network_operation* operation;
    unsigned polls_left;
  };

  void message_arrived(int from_process, const std::byte* data, std::size_t bytes) override {
    to_->message_arrived(from_process, data, bytes);
  }
  void operation_done(network_operation& done) override {
    std::erase_if(asked_, [&](const asked& each) { return each.operation == &done; });  // something had come
    to_->operation_done(done);
  }

  const std::unique_ptr<network> of_;
  network_events* to_ = nullptr;
  std::vector<asked> asked_;
  unsigned count_ = 0;
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
  return opened == nullptr ? nullptr : new late_cancels(opened);
}
