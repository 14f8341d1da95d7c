// The steps of spanning.hpp: for its two source files.
#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <variant>

#include "coll/algorithms_here.hpp"
#include "coll/spanning.hpp"
#include "coll/spread.hpp"
#include "match/match_engine.hpp"
#include "match/short_path.hpp"

namespace pure::core {

class spanning_collective::step {
 public:
  step() = default;
  step(const step&) = delete;
  step& operator=(const step&) = delete;
  virtual ~step() = default;

  /// Once, when it is its turn; then poll() until it is complete.
  virtual void start() {}
  virtual bool poll() = 0;
  /// The rank of the communicator that it waits for, or -1.
  [[nodiscard]] virtual int waits_for() const noexcept { return -1; }
  /// In place of all that.
  virtual void cancel() noexcept {}
};

/// A collective of the part that is here.
class spanning_collective::local_step final : public step {
 public:
  /// Takes its sequence number now: all ranks here make the steps of all operations in the same order.
  local_step(const spread& over, const collective_arguments& what) : over_(over), what_(what) {
    if (over_.here->size() == 1) return;
    choose_algorithm_here(collective_member::of(*over_.here), what_,
                          [this]<class Algorithm>(auto&&... arguments) { running_.emplace<Algorithm>(arguments...); });
  }

  void start() override {
    if (over_.here->size() == 1) run_alone(what_);
  }
  bool poll() override {
    return std::visit(
        [this](auto& each) {
          if constexpr (std::is_same_v<decltype(each), std::monostate&>) {
            return true;
          } else {
            if (each.poll()) return true;
            waits_for_ = over_.own_members()[static_cast<std::size_t>(each.waits_for())];
            return false;
          }
        },
        running_);
  }
  [[nodiscard]] int waits_for() const noexcept override { return waits_for_; }
  void cancel() noexcept override {
    std::visit(
        [](auto& each) {
          if constexpr (requires { each.cancel(); }) each.cancel();
        },
        running_);
  }

 private:
  const spread& over_;
  const collective_arguments what_;
  algorithm_here running_;
  int waits_for_ = -1;
};

/// Takes a sequence number inside, and does nothing under it.
class spanning_collective::skipped_step final : public step {
 public:
  explicit skipped_step(const spread& over) : here_(collective_member::of(*over.here)), sequence_(here_.start_next()) {}

  bool poll() override {
    here_.finish(sequence_);
    return true;
  }
  void cancel() noexcept override { here_.finish(sequence_); }

 private:
  collective_member& here_;
  const std::uint64_t sequence_;
};

/// Messages to and from other ranks of the communicator, all at once.
class spanning_collective::message_step final : public step {
 public:
  message_step(spanning_collective& of, int tag) noexcept
      : of_(of), comm_(of.on_.comm()), engine_(comm_.engine()), tag_(tag) {}
  ~message_step() override {
    for (incoming& each : receives_) {
      if (each.is_started && !each.op.done && !engine_.is_closed()) engine_.withdraw(each.op);
    }
  }

  void send(int to, const void* data, std::size_t bytes) {
    send_op& op = sends_.emplace_back();
    op.data = data;
    op.bytes = bytes;
    op.who = {context(), comm_.rank(), tag_};
    op.to = comm_.number_of(to);
  }
  void receive(int from, void* data, std::size_t bytes) {
    receives_.emplace_back(receive_op({data, bytes, nullptr}, context(), comm_.number_of(from), tag_), from, bytes);
  }

  void start() override {
    for (incoming& each : receives_) {
      each.is_started = true;
      engine_.start(each.op);
    }
    for (send_op& each : sends_) engine_.start(each);
  }
  bool poll() override {
    for (; received_ < receives_.size(); ++received_) {
      incoming& next = receives_[received_];
      if (!engine_.test(next.op)) return false;
      const status& came = next.op.result;
      of_.check_size(next.from, came.error == errc::success ? came.bytes : came.sent_bytes, next.bytes);
    }
    for (; sent_ < sends_.size(); ++sent_) {
      if (!engine_.test(sends_[sent_])) return false;
    }
    return true;
  }
  [[nodiscard]] int waits_for() const noexcept override {
    return received_ < receives_.size() ? receives_[received_].from : -1;
  }

 private:
  struct incoming {
    incoming(const receive_op& made, int from_rank, std::size_t expected)
        : op(made), from(from_rank), bytes(expected) {}
    receive_op op;
    int from;
    std::size_t bytes;
    bool is_started = false;
  };
  [[nodiscard]] std::uint32_t context() const noexcept { return comm_.shared().context(traffic::collective); }

  spanning_collective& of_;
  communicator& comm_;
  match_engine& engine_;
  const int tag_;
  std::deque<send_op> sends_;  // which stay where they are
  std::deque<incoming> receives_;
  std::size_t received_ = 0;
  std::size_t sent_ = 0;
};

class spanning_collective::computation final : public step {
 public:
  explicit computation(std::function<void()> what) : what_(std::move(what)) {}
  bool poll() override {
    what_();
    return true;
  }

 private:
  const std::function<void()> what_;
};

template <class Step, class... Arguments>
void spanning_collective::add_local_step(const Arguments&... arguments) {
  steps_.push_back(std::make_unique<Step>(arguments...));
  ++local_steps_;
}

template <class Do>
void spanning_collective::compute(Do what) {
  steps_.push_back(std::make_unique<computation>(std::move(what)));
}

}  // namespace pure::core
