// What the ranks of a window share, of those in one process: whose memory lies where, and what belongs to it.
//
// Where the ranks are in several processes, each has such an object. It knows the memory of all ranks that this process
// can address: its own ranks', and what other processes of the machine have made for all to map.
//
// Made by one of them, filled by each with what is its own, constant from the end of its making on but for the memory
// attached to dynamic windows. Each rank has a reference; whoever gives up the last one destroys it, and with it the
// memory, whichever rank that is.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "machine/shared_segment.hpp"
#include "runtime/job.hpp"
#include "runtime/wait_reason.hpp"
#include "window/box_pool.hpp"
#include "window/epoch_box.hpp"
#include "window/lock_records.hpp"
#include "window/part_end.hpp"
#include "window/target_control.hpp"
#include "window/window_key.hpp"
#include "window/window_memory.hpp"
#include "window/window_observer.hpp"

namespace pure::core {

class window_group;

/// The windows of this process whose ranks are in several ones, as these windows know them (process_windows.hpp).
class windows_of_process {
 public:
  /// From now on operations of other processes come.
  virtual void add(window_group& made) = 0;
  /// The window was not made after all: no other process knows it.
  virtual void drop(window_group& unused) = 0;
  /// No rank here uses it any more.
  virtual void leave(window_group& unused) noexcept = 0;
  /// window_group::target::end(), while no operation is going on; returns when no payload moves there.
  virtual void end_part(window_group& of, int rank, part_end why) noexcept = 0;
  /// Ranks in other processes may sleep until memory that they map has changed.
  virtual void wake_elsewhere(const window_group& of) noexcept = 0;

 protected:
  ~windows_of_process() = default;
};

/// Where a window's memory comes from; the values are MPI's (MPI 4.1, 12.2.6).
enum class window_flavor : std::uint8_t { create = 1, allocate, dynamic, shared };

/// What makes operations atomic: locks of stripes, for all types; or, for integers of up to 8 bytes, the instructions
/// of the processor, so that std::atomic_ref may be used on the same memory.
enum class atomics_by : std::uint8_t { any_type, hardware };

/// What the program promises of the atomic operations of several ranks on one element at a time (MPI 4.1, 12.2.1,
/// accumulate_ops). Only PURE_CHECK looks at it.
enum class same_operations : std::uint8_t { any, same_or_no_op, same };

/// The same on all ranks of a window.
struct window_options {
  bool is_contiguous = false;  // the memory of each rank follows that of the one before
  std::size_t alignment = 1;   // of each rank's memory; a power of two
  page_kind pages = page_kind::normal;
  atomics_by atomics = atomics_by::any_type;
  same_operations promise = same_operations::any;
  std::string name;  // empty: one is made up

  /// All but the name, as a number.
  [[nodiscard]] std::uint64_t identity() const noexcept {
    return static_cast<std::uint64_t>(is_contiguous) | static_cast<std::uint64_t>(pages) << 1 |
           static_cast<std::uint64_t>(atomics) << 3 | static_cast<std::uint64_t>(promise) << 4 |
           static_cast<std::uint64_t>(std::countr_zero(alignment)) << 6;
  }
};

/// The memory that a rank has attached to a dynamic window. Any rank.
class attached_memory {
 public:
  /// False if it overlaps what is attached. No bytes overlap nothing, wherever they are.
  bool add(const std::byte* from, std::size_t bytes);
  /// False if nothing that was attached begins there. Of no bytes and some that begin there, it removes the no bytes.
  bool remove(const std::byte* from) noexcept;
  void clear() noexcept;
  /// Whether each of the bytes is attached, in one region or in several that touch.
  [[nodiscard]] bool contains(const std::byte* from, std::size_t bytes) const noexcept;

 private:
  struct region {
    const std::byte* from;
    std::size_t bytes;
    [[nodiscard]] const std::byte* end() const noexcept { return from + bytes; }
  };
  /// The first one that begins behind that address.
  [[nodiscard]] std::size_t first_behind(const std::byte* from) const noexcept;

  mutable std::mutex guard_;
  std::vector<region> regions_;          // of some bytes, in the order of their addresses
  std::vector<const std::byte*> empty_;  // where no bytes were attached
};

/// A number of bytes that its rank sets to 0 while others read it. It orders nothing.
class part_size {
 public:
  part_size& operator=(std::size_t bytes) noexcept {
    bytes_.store(bytes, std::memory_order_relaxed);
    return *this;
  }
  operator std::size_t() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> bytes_{0};
};

class window_group {
 public:
  /// The part of one rank.
  struct target {
    std::byte* base = nullptr;
    part_size bytes;
    std::size_t unit = 1;               // of displacements, in bytes
    target_control* control = nullptr;  // null: the memory is reached by messages (remote_access.hpp)
    epoch_box* box = nullptr;           // null: it has none that this process maps
    rank_context* owner = nullptr;      // null: in another process
    part_memory memory;                 // where it is the window's own
    attached_memory attached;
    std::atomic<part_end> ended{part_end::none};
    std::atomic<int> payloads{0};  // that move straight to or from it (part_payloads.hpp)

    /// No operation finds memory there from now on; one that has begun goes on.
    void end(part_end why) noexcept {
      ended.store(why, std::memory_order_relaxed);
      bytes = 0;
      attached.clear();
    }
    /// As part of an error about the part, which is that of `rank`; empty if it is there.
    [[nodiscard]] std::string why_gone(int rank) const;
    /// The offset of dynamic windows, whose base is null, is the address.
    [[nodiscard]] std::byte* place_at(std::ptrdiff_t offset) const noexcept {
      return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset));
    }
  };

  /// Of a window whose ranks are in several processes.
  struct spanning_part {
    windows_of_process* windows = nullptr;
    window_key key;
    std::vector<int> processes;                             // the other ones of the window
    std::vector<int> mapping;                               // of these, those that map memory which this one maps
    std::vector<std::unique_ptr<shared_segment>> segments;  // by process; null: it has none, or none for this one
    std::vector<rank_context*> here;                        // the window's ranks of this process
    box_pool* boxes = nullptr;                              // whose `box` the window has; null: none
    int box = 0;

    // --- by process_windows, under its lock ---
    std::size_t still_using = 0;  // other processes
    bool is_used_here = true;
  };

  window_group(std::uint32_t number, std::size_t ranks, window_flavor flavor, const window_options& options,
               std::string name)
      : targets_(ranks),
        references_(static_cast<int>(ranks)),
        number_(number),
        flavor_(flavor),
        options_(options),
        name_(std::make_shared<const std::string>(std::move(name))),
        locks_(std::make_shared<lock_records>(ranks)) {}
  window_group(const window_group&) = delete;
  window_group& operator=(const window_group&) = delete;

  [[nodiscard]] target& at(int rank) noexcept { return targets_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(targets_.size()); }
  /// No other window of the job has it at the same time.
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] window_flavor flavor() const noexcept { return flavor_; }
  [[nodiscard]] const window_options& options() const noexcept { return options_; }
  /// As it was made.
  [[nodiscard]] const shared_name& name() const noexcept { return name_; }

  /// All memory in one piece, in the order of the ranks. By the rank that makes the group, before the others look.
  void allocate_for_all();
  /// The memory is the window's, and lasts as long: else it is the program's.
  [[nodiscard]] bool has_own_memory() const noexcept {
    return flavor_ == window_flavor::allocate || flavor_ == window_flavor::shared;
  }
  /// That rank, which is here, takes its part back, if the memory is the program's. No operation by messages is going
  /// on there when this returns.
  void end_part(int rank, part_end why) noexcept;
  /// There was none.
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
  /// Why the pages of that rank, or of all, are not those that were asked for; empty if they are.
  [[nodiscard]] const std::string& refused() const noexcept { return refused_; }
  void set_refused(std::string why) { refused_ = std::move(why); }

  /// Who holds locks. Of windows in one process.
  [[nodiscard]] lock_records& locks() const noexcept { return *locks_; }
  [[nodiscard]] const std::shared_ptr<lock_records>& shared_locks() const noexcept { return locks_; }

  /// Wakes all its ranks: something has become free that some of them may wait for.
  void wake_all() noexcept {
    if (spanning_ != nullptr) [[unlikely]]
      return wake_in_all_processes();
    for (target& each : targets_) each.owner->notify();
  }
  /// Wakes the owner of that part, who sleeps.
  void wake_owner(target& of) noexcept {
    if (of.owner == nullptr) [[unlikely]]
      return wake_in_all_processes();
    of.owner->notify();
  }

  /// Null: nobody observes it in this process.
  [[nodiscard]] group_observer* observer() const noexcept { return observer_.get(); }
  /// By who makes the group, before the ranks' windows are made.
  void observe_by(std::unique_ptr<group_observer> observer) { observer_ = std::move(observer); }

  void release() noexcept {
    // acq_rel: the last to come destroys what all the others have used; pairs with itself in their release()
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) end();
  }

  /// All ranks but one have given up theirs. A moment ago.
  [[nodiscard]] bool is_last_reference() const noexcept { return references_.load(std::memory_order_relaxed) == 1; }

  // ---- of several processes ----

  /// Null: all ranks are in this one.
  [[nodiscard]] spanning_part* spanning() const noexcept { return spanning_.get(); }
  /// By who makes the group, before other ranks look; `references`: ranks here.
  void span(std::unique_ptr<spanning_part> part, int references, std::uint32_t number, std::string name) {
    spanning_ = std::move(part);
    references_.store(references, std::memory_order_relaxed);
    number_ = number;
    name_ = std::make_shared<const std::string>(std::move(name));
  }
  /// All of it by this process. Once all parts are there.
  [[nodiscard]] bool is_addressable() const noexcept {
    for (const target& each : targets_) {
      if (each.control == nullptr) return false;
    }
    return true;
  }
  void wake_here() noexcept {
    for (rank_context* const each : spanning_->here) each->notify();
  }

  ~window_group() = default;  // by release(), or by process_windows

 private:
  void end() noexcept;
  void wake_in_all_processes() noexcept;

  std::vector<target> targets_;
  std::unique_ptr<spanning_part> spanning_;
  own_pages whole_;
  std::string refused_;
  std::unique_ptr<group_observer> observer_;
  bool has_failed_ = false;
  alignas(line_bytes) std::atomic<int> references_;
  std::uint32_t number_;
  const window_flavor flavor_;
  const window_options options_;
  shared_name name_;
  const std::shared_ptr<lock_records> locks_;
};

}  // namespace pure::core
