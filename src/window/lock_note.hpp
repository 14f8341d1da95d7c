// Who holds the lock of a target exclusively, and by which call: for reports of others that wait for it, in any process
// that maps it. Written by the holder, which wipes it before it unlocks; read at any time, so that it may be old, or
// mixed of two calls.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/cache_line.hpp"
#include "base/call.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

class alignas(line_bytes) lock_note {
 public:
  struct text {
    char operation[28];
    std::uint32_t line;
    char file[80];
  };
  /// As it is read, and told to other processes.
  struct seen {
    std::int32_t rank = nobody;  // of the window
    text made_by{};
    [[nodiscard]] bool is_anybody() const noexcept { return rank != nobody; }
    [[nodiscard]] bool operator==(const seen& other) const noexcept {
      return rank == other.rank && std::memcmp(&made_by, &other.made_by, sizeof made_by) == 0;
    }
    /// "pure_win_lock at halo.cpp:12".
    [[nodiscard]] std::string call() const;
  };

  /// Of a long file name the end counts.
  void write(int rank, std::string_view operation, std::string_view file, unsigned line) noexcept {
    text made{};
    operation.copy(made.operation, sizeof made.operation - 1);
    made.line = line;
    write(rank, made, file);
  }
  /// An address is written as it is, for only reports need to know what is there.
  void write(int rank, const pure::core::call& by) noexcept {
    const site_of_call& site = by.site;
    if (!site.is_address()) return write(rank, by.operation, static_cast<const char*>(site.where), site.line);
    const address_in_image its{{}, site.where, &own_image};
    write(rank, by.operation, {reinterpret_cast<const char*>(&its), sizeof its}, 0);
  }
  /// The text of a call in another process ("pure_win_lock at halo.cpp:12").
  void write(int rank, std::string_view call) noexcept { write(rank, text{}, call); }
  void wipe() noexcept { rank_.store(nobody, std::memory_order_relaxed); }
  /// Nobody holds it, or it is shared: of nobody.
  [[nodiscard]] seen read() const noexcept {
    seen read;
    read.rank = rank_.load(std::memory_order_acquire);  // acquire: pairs with write()
    if (!read.is_anybody()) return read;
    std::array<std::uint64_t, words> all{};
    for (std::size_t i = 0; i < words; ++i) all[i] = words_[i].load(std::memory_order_relaxed);
    std::memcpy(&read.made_by, all.data(), sizeof read.made_by);
    return read;
  }

 private:
  /// In place of a file.
  struct address_in_image {
    char no_file[8];
    const void* where;  // as in a site_of_call
    const void* image;
  };

  static inline const char own_image = 0;  // where it lies tells processes apart whose code lies elsewhere

  static constexpr std::int32_t nobody = -1;
  static constexpr std::size_t words = sizeof(text) / 8;
  static_assert(sizeof(text) == 8 * words && sizeof(text) + 16 <= 2 * line_bytes);

  void write(int rank, text made, std::string_view file) noexcept {
    if (file.size() >= sizeof made.file) file.remove_prefix(file.size() - (sizeof made.file - 1));
    file.copy(made.file, sizeof made.file - 1);
    std::array<std::uint64_t, words> all{};
    std::memcpy(all.data(), &made, sizeof made);
    for (std::size_t i = 0; i < words; ++i) words_[i].store(all[i], std::memory_order_relaxed);
    rank_.store(rank, std::memory_order_release);  // release: the text; pairs with read()
  }

  std::atomic<std::int32_t> rank_{nobody};
  std::array<std::atomic<std::uint64_t>, words> words_{};
};

inline std::string lock_note::seen::call() const {
  std::string text(made_by.operation, strnlen(made_by.operation, sizeof made_by.operation));
  if (made_by.file[0] == '\0' && made_by.line == 0) {
    address_in_image its;
    std::memcpy(&its, made_by.file, sizeof its);
    const site_of_call site(its.where, 0);
    const bool is_known = its.image == &own_image && site.is_address();  // nobody knows addresses of other processes
    return is_known ? text + " at " + to_text(site) : text;
  }
  if (!text.empty() && made_by.file[0] != '\0') text += " at ";
  text.append(made_by.file, strnlen(made_by.file, sizeof made_by.file));
  if (made_by.line != 0) text.append(":").append(std::to_string(made_by.line));
  return text;
}

/// Who holds exclusively the lock that a rank waits for, as that rank has seen or been told it last.
class told_holder final : public known_holders {
 public:
  /// `number`: of the holder in the job. False: it is as it was. Any thread.
  bool tell(const lock_note::seen& who, int number) {
    const std::lock_guard lock(guard_);
    if (who == who_) return false;
    who_ = who;
    number_ = number;
    return true;
  }
  [[nodiscard]] std::vector<holder> of(std::uint64_t /*target*/) const override {
    const std::lock_guard lock(guard_);
    if (!who_.is_anybody()) return {};
    return {{number_, who_.call()}};
  }

 private:
  mutable std::mutex guard_;  // for a moment
  lock_note::seen who_;
  int number_ = -1;
};

}  // namespace pure::core
