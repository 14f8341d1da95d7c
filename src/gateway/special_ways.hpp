// The special ways of messages between processes: what is done for speed alone. Each can be left out
// (PURE_NET_WITHOUT), so that it can be weighed by whole programs, and tested by itself.
#pragma once

#include <string_view>

namespace pure::core {

struct special_ways {
  bool direct = true;    ///< a message whose sender finds the network free leaves past its ring
  bool bare = true;      ///< one whose envelope is known travels without it (envelope_cache.hpp)
  bool foreseen = true;  ///< a large one is received before its envelope is here (message_streams.hpp)
  bool runs = true;      ///< large ones in a row travel without envelopes
  bool pacing = true;    ///< where sends take long, what is left soon after one waits for the next (send_pace.hpp)
  bool given = true;     ///< what arrives goes to a posted receive past the ring

  /// All but those of a list like "direct,foreseen". Throws pure::Error (argument) for a word that is none.
  static special_ways without(std::string_view list);
};

}  // namespace pure::core
