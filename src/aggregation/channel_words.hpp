// The words by which sends find that their channel has ended (pure/detail/aggregation.hpp). Handles of channels are
// copied by programs, and used when the channel is gone: words stay for the life of the process, and are given to later
// channels, so that there are as many as channels have been there at a time, and few more. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include <pure/detail/aggregation.hpp>

namespace pure::core {

class channel_words {
 public:
  /// Who has a word, or had it last: for errors.
  struct holder {
    std::string aggregation;
    std::size_t channel = 0;
  };
  struct entry {
    detail::channel_word word{0};
    std::uint64_t tag = first_tag;
    holder held_by;
    entry* next_free = nullptr;
  };

  /// The words of this process. Never destroyed: sends may come when everything else is gone.
  static channel_words& all();

  channel_words() = default;
  channel_words(const channel_words&) = delete;
  channel_words& operator=(const channel_words&) = delete;

  /// A word for a channel with destinations below `ranks`. Throws std::bad_alloc.
  [[nodiscard]] entry& take(unsigned ranks, holder who);
  /// The channel has ended.
  void give_back(entry& unused) noexcept;
  /// What has ended, of whose word that was: "channel 2 of aggregation "edges"".
  [[nodiscard]] std::string name_of(const detail::channel_word* word, std::uint64_t tag) const;
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(guard_);
    return all_.size();
  }

  /// So many that are free are kept before one is used again: their names stay as long.
  static constexpr std::size_t least_free = 64;

 private:
  static constexpr std::uint64_t one_tag = std::uint64_t{1} << 32;     // ranks are below that
  static constexpr std::uint64_t first_tag = (one_tag - 1) * one_tag;  // of the first channel; 0 is none's

  mutable std::mutex guard_;  // for a moment
  std::deque<entry> all_;
  entry* oldest_free_ = nullptr;
  entry* newest_free_ = nullptr;
  std::size_t free_ = 0;
};

}  // namespace pure::core
