// What a request keeps of a message that is started again and again, or laid out.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <pure/detail/transfer.hpp>

#include "layout/layout.hpp"
#include "layout/placed_message.hpp"

namespace pure::core {

using detail::receive_sink;
using detail::send_mode;

/// Where it is received: the sink refers to its layout.
receive_sink sink_of(const placed_message& where) noexcept;
/// Of a message that nobody looks at: its bytes go there.
receive_sink sink_of_nobody(std::vector<std::byte>& thrown_away) noexcept;
/// The message's bytes in a row. Throws std::bad_alloc.
std::unique_ptr<std::byte[]> packed_copy(const placed_message& what);

/// Belongs to an entry of the table of requests.
struct stored_message {
  placed_message what;
  send_mode mode = send_mode::standard;
  bool is_plain = false;  // a standard or ready send of bytes in a row, not to the null process
  bool is_persistent = false;
  bool is_active = false;                // of a persistent one: started, and not completed by wait or test
  bool is_with_nobody = false;           // its peer is the null process
  receive_sink sink{};                   // of a receive that is laid out
  std::vector<std::byte> thrown_away{};  // by a receive for nobody
  unsigned types = 0;                    // of the elements, as the call that made it says (base/call.hpp)
};

}  // namespace pure::core
