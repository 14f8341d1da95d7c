// How things are dealt to ranks, or planes to subdomains.
#pragma once

namespace windows {

/// Some of many things in a row.
struct range {
  int begin = 0, end = 0;

  [[nodiscard]] int size() const { return end - begin; }
};

/// Part number `part` of `parts`, which differ by one at most.
inline range share(int things, int part, int parts) {
  const auto begin = [=](int i) { return static_cast<int>(static_cast<long>(things) * i / parts); };
  return {begin(part), begin(part + 1)};
}

}  // namespace windows
