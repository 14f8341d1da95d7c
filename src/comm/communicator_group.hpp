// What the ranks of a communicator share: who they are, the contexts of its messages, and what the layer above keeps
// for all of them.
//
// One per communicator and process. Members and contexts are constant. Every rank's communicator object holds a
// reference; whoever gives up the last destroys it, whichever rank that is. Any member may call everything here.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cache_line.hpp"
#include "runtime/other_processes.hpp"

namespace pure::core {

class communicator_registry;

/// What the layer above keeps with a communicator. The part that its ranks share is destroyed by the rank that gives up
/// the communicator last, or at the end of the job by the thread that ends it, when other ranks have no services any
/// more: its destructor frees memory and does nothing else.
class upper_part {
 public:
  upper_part() = default;
  upper_part(const upper_part&) = delete;
  upper_part& operator=(const upper_part&) = delete;
  virtual ~upper_part() = default;
};

/// Messages of different kinds on one communicator never match: each kind has a context of its own.
enum class traffic : std::uint32_t {
  user,
  collective,             // for the layer above
  creation,               // of communicators from this one, by all its ranks
  group_creation,         // by some of its ranks; tags are the program's
  window,                 // the ends of epochs, for the layer above
  persistent_collective,  // for the layer above
  neighbours,             // collectives of ranks and their neighbours in a topology
  count
};

class communicator_group {
 public:
  /// numbers[i] is the number in the job of rank i. `home` owns it and gets the contexts back; null: its maker does.
  /// `others`: of a job of several processes; then this is the object of the ranks that are here.
  communicator_group(communicator_registry* home, std::uint32_t first_context, std::vector<int> numbers,
                     const other_processes* others = nullptr);
  communicator_group(const communicator_group&) = delete;
  communicator_group& operator=(const communicator_group&) = delete;
  ~communicator_group();

  [[nodiscard]] std::uint32_t context(traffic kind) const noexcept {
    return first_context_ + static_cast<std::uint32_t>(kind);
  }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// The numbers by rank, or null: every rank has its number in the job.
  [[nodiscard]] const int* numbers() const noexcept { return numbers_.empty() ? nullptr : numbers_.data(); }
  [[nodiscard]] int number_of(int rank) const noexcept {
    return numbers_.empty() ? rank : numbers_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::vector<int> members() const;

  /// Of a communicator with ranks in several processes: those of this one, in the same order, as a group of their own;
  /// null for others. For the layer above, whose algorithms inside a process know no others.
  [[nodiscard]] communicator_group* part_here() const noexcept { return part_here_.get(); }

  /// None of its ranks is in this process.
  [[nodiscard]] bool is_of_others() const noexcept { return part_here_ != nullptr && part_here_->size() == 0; }

  /// What the layer above keeps for all ranks; the first that asks makes it, by make() -> std::unique_ptr<upper_part>.
  /// Several ranks may ask at once: all get the same, and what the others have made is destroyed.
  template <class Make>
  upper_part& upper(Make&& make) {
    // acquire: pairs with the exchange in install()
    upper_part* const there = upper_.load(std::memory_order_acquire);
    return there != nullptr ? *there : install(make());
  }

  /// Gives up one of the references, of which there are as many as ranks in this process.
  void release() noexcept;

 private:
  upper_part& install(std::unique_ptr<upper_part> made) noexcept;

  // --- constant ---
  communicator_registry* const home_;
  const std::uint32_t first_context_;
  const int size_;
  std::vector<int> numbers_;  // empty: every rank has its number in the job
  std::unique_ptr<communicator_group> part_here_;
  std::atomic<upper_part*> upper_{nullptr};  // set once
  // --- written by ranks that free the communicator ---
  alignas(pair_bytes) std::atomic<int> references_;
};

}  // namespace pure::core
