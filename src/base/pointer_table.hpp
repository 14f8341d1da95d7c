// A fixed table of pointers, null at first, whose pages exist only once they are written.
//
// One entry per rank in each rank: a million pairs for a thousand ranks, of which few ever talk.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace pure::core {

template <class Pointer>
class pointer_table {
 public:
  explicit pointer_table(int size)
      : entries_(static_cast<Pointer*>(std::calloc(static_cast<std::size_t>(size), sizeof(Pointer)))),
        size_(static_cast<std::size_t>(size)) {
    if (entries_ == nullptr) throw std::bad_alloc();
  }

  Pointer& operator[](int i) noexcept { return entries_.get()[i]; }
  /// All entries; going through them touches their pages.
  [[nodiscard]] std::span<Pointer> all() noexcept { return {entries_.get(), size_}; }

 private:
  struct release {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<Pointer, release> entries_;
  std::size_t size_;
};

}  // namespace pure::core
