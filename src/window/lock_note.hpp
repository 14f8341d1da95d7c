// Who holds the lock of a target exclusively, and by which call: for reports of others that wait for it, in any process
// that maps it. Written by the holder, which wipes it before it unlocks; read at any time, so that it may be old, or
// mixed of two calls.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/cache_line.hpp"

namespace pure::core {

class alignas(line_bytes) lock_note {
 public:
  struct holder {
    int rank;  // of the window
    std::string call;
  };

  /// Of a long file name the end counts.
  void write(int rank, std::string_view operation, std::string_view file, unsigned line) noexcept {
    text made{};
    operation.copy(made.operation, sizeof made.operation - 1);
    made.line = line;
    write(rank, made, file);
  }
  /// The text of a call in another process ("pure_win_lock at halo.cpp:12").
  void write(int rank, std::string_view call) noexcept { write(rank, text{}, call); }
  void wipe() noexcept { rank_.store(nobody, std::memory_order_relaxed); }
  /// Nothing: nobody holds it, or it is shared.
  [[nodiscard]] std::optional<holder> read() const {
    const int rank = rank_.load(std::memory_order_acquire);  // acquire: pairs with write()
    if (rank == nobody) return std::nullopt;
    std::array<std::uint64_t, words> all{};
    for (std::size_t i = 0; i < words; ++i) all[i] = words_[i].load(std::memory_order_relaxed);
    text seen;
    std::memcpy(&seen, all.data(), sizeof seen);
    seen.operation[sizeof seen.operation - 1] = seen.file[sizeof seen.file - 1] = '\0';
    std::string call = seen.operation;
    if (!call.empty() && seen.file[0] != '\0') call += " at ";
    call += seen.file;
    if (seen.line != 0) call += ":" + std::to_string(seen.line);
    return holder{rank, std::move(call)};
  }

 private:
  static constexpr int nobody = -1;
  struct text {
    char operation[28];
    std::uint32_t line;
    char file[80];
  };
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

  std::atomic<int> rank_{nobody};
  std::array<std::atomic<std::uint64_t>, words> words_{};
};

/// As part of a report.
inline std::string to_text(const lock_note::holder& who) {
  return "its rank " + std::to_string(who.rank) + " holds by " + who.call;
}

}  // namespace pure::core
