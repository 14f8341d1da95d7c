// What ranks wait for that wait for messages, in words.
#pragma once

#include "runtime/wait_reason.hpp"

namespace pure::core {

inline constexpr char advice_about_messages[] =
    "Look for a receive whose message nobody sends, or sends that all wait for receives posted after them.";

inline constexpr wait_kind message_from{"a message from", advice_about_messages};
inline constexpr wait_kind receive_by{"the receive of its message by", advice_about_messages};
inline constexpr wait_kind room_for_message_to{"room for its message to", advice_about_messages};
inline constexpr wait_kind receive_of_buffered_by{"the receive of its buffered message by", advice_about_messages};

}  // namespace pure::core
