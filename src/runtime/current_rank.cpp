#include "runtime/current_rank.hpp"

namespace pure::core {

constinit thread_local rank_context* current_rank = nullptr;
constinit thread_local rank_context* current_chunk_rank = nullptr;
constinit thread_local bool is_guest_thread = false;

}  // namespace pure::core
