#include "aggregation/handler_scope.hpp"

#include <utility>

namespace pure::core {

namespace {

constexpr char in_handler_text[] =
    "called inside a handler of an aggregation, where only this rank's sends and flushes of items are allowed: leave the "
    "rest to the rank itself, by what the handler stores";

}  // namespace

handler_scope::handler_scope(handler_state& of) noexcept : of_(of) {
  of.is_in_handler_ = true;
  current_rank = nullptr;
  current_chunk_rank = &of.owner_;
  of.owner_.thread().callback_text = in_handler_text;
}

handler_scope::~handler_scope() {
  of_.is_in_handler_ = false;
  of_.owner_.thread().callback_text = nullptr;
  current_rank = std::exchange(current_chunk_rank, nullptr);  // in a child that the handler has forked, both are null
}

}  // namespace pure::core
