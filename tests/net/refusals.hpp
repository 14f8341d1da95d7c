// For programs whose ranks, in several processes, make errors and catch them: what they must say.
#pragma once

#include <atomic>
#include <cstdio>
#include <initializer_list>
#include <string>

#include <pure/pure.hpp>

namespace net_test {

/// How many checks have failed, on any rank of this process.
inline std::atomic<int> wrong{0};

inline void check(bool right, const std::string& what) {
  if (right) return;
  ++wrong;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
}

/// Where every rank sends to, and where it receives from.
struct neighbours {
  explicit neighbours(const pure::comm& world)
      : right((world.rank() + 1) % world.size()), left((world.rank() + world.size() - 1) % world.size()) {}
  int right, left;
};

/// `call` throws an error of that code, whose text has all these parts.
template <class Call>
void refused(pure::errc code, Call call, std::initializer_list<std::string> parts,
             std::initializer_list<std::string> more = {}) {
  try {
    call();
  } catch (const pure::Error& error) {
    const std::string text = error.what();
    check(error.code() == code, "the kind of: " + text);
    for (const auto& list : {parts, more}) {
      for (const std::string& part : list) {
        check(text.find(part) != std::string::npos, "no '" + part + "' in: " + text);
      }
    }
    return;
  }
  check(false, "nothing was thrown");
}

}  // namespace net_test
