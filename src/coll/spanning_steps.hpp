// The steps of spanning.hpp: for its two source files.
#pragma once

#include <list>
#include <memory>
#include <memory_resource>
#include <utility>
#include <variant>
#include <vector>

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
  /// After a poll that was false: the rank of the communicator that it waits for.
  [[nodiscard]] virtual int waits_for() const noexcept { return 0; }
  /// In place of all that.
  virtual void cancel() noexcept {}
};

/// A collective of the part that is here, of more than one rank.
class spanning_collective::local_step final : public step {
 public:
  /// Takes its sequence number now: all ranks here make the steps of all operations in the same order.
  local_step(spanning_collective& of, const collective_member& on, const collective_arguments& what)
      : of_(of), over_(on.over()), what_(what) {
    choose_algorithm_here(on.here(), what_,
                          [this]<class Algorithm>(auto&&... arguments) { running_.emplace<Algorithm>(arguments...); });
  }

  void start() override { what_.count = of_.what_agrees_of(what_.count); }
  bool poll() override {
    return std::visit(
        [this](auto& each) {
          if constexpr (std::is_same_v<decltype(each), std::monostate&>) {
            return true;
          } else {
            if (!each.poll()) {
              waits_for_ = in_communicator(each.waits_for());
              return false;
            }
            if (const auto& how = each.first_wrong_size(); how) [[unlikely]] {
              of_.disagree(
                  {in_communicator(how->giver), in_communicator(how->taker), how->given_bytes, how->expected_bytes});
            }
            return true;
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
  [[nodiscard]] int in_communicator(int here) const { return over_.own_members()[static_cast<std::size_t>(here)]; }

  spanning_collective& of_;
  const spread& over_;
  collective_arguments what_;
  algorithm_here running_;
  int waits_for_ = 0;
};

/// Takes a sequence number inside, and does nothing under it.
class spanning_collective::skipped_step final : public step {
 public:
  explicit skipped_step(const collective_member& on) : here_(on.here()), sequence_(here_.start_next()) {}

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
  /// Where its memory is from: `in`.
  message_step(spanning_collective& of, int tag, std::pmr::memory_resource* in) noexcept
      : of_(of),
        comm_(of.on_.comm()),
        sender_(comm_.sender()),
        receiver_(comm_.receiver()),
        tag_(tag),
        sends_(in),
        receives_(in),
        started_(in) {}
  ~message_step() override {
    for (incoming& each : receives_) {
      if (each.is_started && !each.op.done && !comm_.engine().is_closed()) receiver_.withdraw(each.op);
    }
  }

  void send(int to, const void* data, std::size_t bytes) { sends_.push_back({to, data, bytes}); }
  void receive(int from, void* data, std::size_t bytes) {
    receives_.emplace_back(receive_op({data, bytes, nullptr}, context(), comm_.number_of(from), tag_), from, bytes);
  }

  void start() override {
    for (incoming& each : receives_) {
      each.is_started = true;
      receiver_.start(each.op);
    }
    const envelope who{context(), comm_.rank(), tag_};
    for (outgoing& each : sends_) {
      each.bytes = of_.what_agrees_of(each.bytes);
      if (!sender_.try_send_now(comm_.number_of(each.to), who, each.data, each.bytes)) start_send(who, each);
    }
    next_receive_ = receives_.begin();
    next_send_ = started_.begin();
  }
  bool poll() override {
    for (; next_receive_ != receives_.end(); ++next_receive_) {
      receive_op& op = next_receive_->op;
      if (!receiver_.test(op)) return false;
      const std::size_t came = op.result.error == errc::success ? op.result.bytes : op.result.sent_bytes;
      of_.check_size(next_receive_->from, came, next_receive_->bytes);
    }
    for (; next_send_ != started_.end(); ++next_send_) {
      if (!sender_.test(next_send_->op)) return false;
    }
    return true;
  }
  [[nodiscard]] int waits_for() const noexcept override {
    return next_receive_ != receives_.end() ? next_receive_->from : next_send_->to;
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
  struct outgoing {
    int to;
    const void* data;
    std::size_t bytes;
  };
  struct started_send {
    explicit started_send(int to_rank) noexcept : to(to_rank) {}
    send_op op;
    int to;
  };

  void start_send(const envelope& who, const outgoing& what) {
    send_op& op = started_.emplace_back(what.to).op;
    op.data = what.data;
    op.bytes = what.bytes;
    op.who = who;
    op.to = comm_.number_of(what.to);
    sender_.start(op);
  }
  [[nodiscard]] std::uint32_t context() const noexcept { return of_.on_.between().context(); }

  spanning_collective& of_;
  communicator& comm_;
  message_sender& sender_;
  message_receiver& receiver_;
  const int tag_;
  std::pmr::vector<outgoing> sends_;
  std::pmr::list<incoming> receives_;     // which stay where they are
  std::pmr::list<started_send> started_;  // that were not complete at once
  std::pmr::list<incoming>::iterator next_receive_;
  std::pmr::list<started_send>::iterator next_send_;
};

template <class Do>
class spanning_collective::computation final : public step {
 public:
  explicit computation(Do what) : what_(std::move(what)) {}
  bool poll() override {
    what_();
    return true;
  }

 private:
  const Do what_;
};

template <class Step, class... Arguments>
Step& spanning_collective::add_step(Arguments&&... arguments) {
  constexpr std::size_t usual = 8;
  if (steps_.empty()) steps_.reserve(usual);
  Step* const made = std::pmr::polymorphic_allocator<>(&in_room_).new_object<Step>(
      std::forward<Arguments>(arguments)...);
  steps_.push_back(std::unique_ptr<step, destroyer>(made));
  return *made;
}

template <class Step, class... Arguments>
void spanning_collective::add_local_step(Arguments&&... arguments) {
  add_step<Step>(std::forward<Arguments>(arguments)...);
  ++local_steps_;
}

template <class Do>
void spanning_collective::compute(Do what) {
  add_step<computation<Do>>(std::move(what));
}

}  // namespace pure::core
