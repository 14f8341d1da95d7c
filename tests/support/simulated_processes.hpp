// An aggregation over several "processes" that are groups of the ranks of one job: parts that see each other through a
// transport only, which keeps packets in queues, loses none, and refuses some at random.
//
// For tests of schemes, and of the end of phases over processes, without a network.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "aggregation/aggregation_table.hpp"
#include "support/bare_job.hpp"

namespace test_support {

class simulated_processes {
 public:
  static constexpr int processes_of_machine = 3;

  /// `percent_refused`: of the packets that are to be sent, which then are sent later.
  simulated_processes(int processes, int ranks_of_each, const pure::core::aggregation_options& options,
                      unsigned percent_refused = 0, pure::core::wait_policy how = impatient)
      : job_(processes * ranks_of_each, {}, how,
             [](pure::core::rank_context& self) {
               self.services().attach(pure::core::aggregation_table::slot,
                                      std::make_unique<pure::core::aggregation_table>(self));
             }),
        percent_refused_(percent_refused),
        all_made_(processes * ranks_of_each) {
    // Rank r is in process r % processes: ranks of the communicator and indices in the process differ.
    std::vector<pure::core::item_home> homes;
    for (int rank = 0; rank < processes * ranks_of_each; ++rank) homes.push_back({rank % processes, rank / processes});
    std::vector<int> machines;
    for (int process = 0; process < processes; ++process) machines.push_back(process / processes_of_machine);
    for (int process = 0; process < processes; ++process) {
      wires_.push_back(std::make_unique<wire>(*this, process));
      parts_.push_back(new pure::core::aggregation_part(homes, process, machines, options, wires_.back().get()));
      parts_.back()->add_reference();
    }
  }
  ~simulated_processes() {
    for (pure::core::aggregation_part* const each : parts_) each->release();
  }

  [[nodiscard]] pure::core::aggregation_part& part(int process) { return *parts_[static_cast<std::size_t>(process)]; }
  [[nodiscard]] pure::core::job& job() { return *job_; }
  /// Packets of that kind, from all processes so far.
  [[nodiscard]] int packets(pure::core::packet_kind of) const { return packets_[static_cast<std::size_t>(of)]; }
  /// By a rank: from now on, until it is called with false, no packet for that process finds room.
  void refuse(int process, bool refused) {
    wires_[static_cast<std::size_t>(process)]->is_closed = refused;
    for (const auto& each : wires_) each->notify_ranks();
  }

  /// Before run(): which packets find no room, each time that they are tried. Any rank's thread.
  void refuse_if(std::function<bool(int from, int to, pure::core::packet_kind what)> refused) {
    refused_ = std::move(refused);
  }
  /// Buffers from other processes that ranks have said to be handled.
  [[nodiscard]] int acknowledged() const noexcept { return acknowledged_; }

  /// Runs body(aggregation) on all ranks. None of them may fail, as it does where all wait for ever.
  template <class Body>
  void run(Body body) {
    EXPECT_EQ(outcome_of(body), "");
  }
  /// The same; returns why the job has failed.
  template <class Body>
  std::string outcome_of(Body body) {
    job_.run([&](pure::core::rank_context& self) {
      const int processes = static_cast<int>(parts_.size());
      auto& table = pure::core::aggregation_table::of(self);
      pure::core::aggregation& made = table.add(part(self.number() % processes), self.number() / processes);
      all_made_.arrive_and_wait();
      try {
        body(made);
      } catch (const pure::core::job_ended&) {
        all_made_.arrive_and_drop();
        throw;
      }
      all_made_.arrive_and_wait();  // nobody sends to a rank that has left
      EXPECT_EQ(made.close(), "");
      EXPECT_EQ(table.left_open().text(), "") << "an account of rank " << self.number() << " is open";
      table.remove(made);
    });
    return job_->failure_text();
  }

 private:
  class wire final : public pure::core::item_transport {
   public:
    wire(simulated_processes& all, int process)
        : all_(all), process_(process), random_(static_cast<unsigned>(process) + 1) {}

    bool try_send(int process, std::span<const std::byte> packet) override {
      EXPECT_LE(packet.size(), pure::core::most_packet_bytes);
      EXPECT_NE(process, process_);
      const auto kind = static_cast<pure::core::packet_kind>(packet.front());
      {
        const std::lock_guard lock(refusing_);
        if (all_.wires_[static_cast<std::size_t>(process)]->is_closed) return false;
        if (random_() % 100 < all_.percent_refused_ || (all_.refused_ && all_.refused_(process_, process, kind))) {
          notify_ranks_of(process_);  // there is room again at once
          return false;
        }
      }
      wire& to = *all_.wires_[static_cast<std::size_t>(process)];
      {
        const std::lock_guard lock(to.guard_);
        to.queue_.push_back({process_, {packet.begin(), packet.end()}});  // throws std::bad_alloc
      }
      ++all_.packets_[static_cast<std::size_t>(kind)];
      notify_ranks_of(process);
      return true;
    }
    bool poll() override {
      const std::unique_lock one_at_a_time(delivering_, std::try_to_lock);
      if (!one_at_a_time) return false;
      bool has_any = false;
      for (;; has_any = true) {
        queued_packet packet;
        {
          const std::lock_guard lock(guard_);
          if (queue_.empty()) return has_any;
          packet = std::move(queue_.front());
          queue_.pop_front();
        }
        if (const std::string problem = all_.part(process_).incoming().deliver(packet.from, packet.bytes);
            !problem.empty())
          all_.job_->fail(problem, 1);
      }
    }

    void has_handled(int /*process*/) noexcept override { ++all_.acknowledged_; }

    void notify_ranks() { notify_ranks_of(process_); }

    std::atomic<bool> is_closed{false};  // nothing comes in

   private:
    struct queued_packet {
      int from = 0;
      std::vector<std::byte> bytes;
    };

    void notify_ranks_of(int process) { all_.part(process).members().notify_all(); }

    simulated_processes& all_;
    const int process_;
    std::mutex refusing_;
    std::mt19937 random_;
    std::mutex delivering_;
    std::mutex guard_;
    std::deque<queued_packet> queue_;
  };

  bare_job job_;
  const unsigned percent_refused_;
  std::barrier<> all_made_;
  std::array<std::atomic<int>, pure::core::packet_kinds> packets_{};  // by kind
  std::atomic<int> acknowledged_{0};
  std::function<bool(int, int, pure::core::packet_kind)> refused_;
  std::vector<std::unique_ptr<wire>> wires_;
  std::vector<pure::core::aggregation_part*> parts_;
};

/// A channel for items of type T, whose handler is handler(const T&, source).
template <class T, class Handler>
pure::core::item_channel& make_channel(pure::core::aggregation& of, Handler& handler,
                                       pure::detail::items_combiner combine = nullptr) {
  pure::detail::channel_request wanted;
  wanted.combine = combine;
  wanted.item_bytes = sizeof(T);
  wanted.alignment = alignof(T);
  wanted.type = typeid(T).name();
  wanted.context = &handler;
  wanted.handle = [](void* context, const std::byte* items, std::size_t count, int source) {
    for (std::size_t i = 0; i < count; ++i) {
      T item;
      std::memcpy(&item, items + i * sizeof(T), sizeof item);
      (*static_cast<Handler*>(context))(item, source);
    }
  };
  return of.make_channel({"make_channel", {}}, wanted);
}

/// As pure::channel<T>::send does it.
template <class T>
void send(pure::core::item_channel& channel, const T& item, int dest) {
  pure::detail::item_route& route = channel.sends().routes[dest];
  std::memcpy(route.at, &item, sizeof item);
  route.at += sizeof item;
  if (route.at == route.end) channel.route_is_full({"send", {}}, dest);
}

}  // namespace test_support
