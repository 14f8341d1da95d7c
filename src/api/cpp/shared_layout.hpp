// A layout as programs hold it: they count its uses, by functions of the library.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include <pure/detail/transfer.hpp>

#include "layout/placed_message.hpp"

namespace pure::core {

struct shared_layout {
  explicit shared_layout(layout&& made) : form(std::make_shared<const layout>(std::move(made))) {}

  const layout_pointer form;
  std::atomic<std::size_t> uses{1};
};

}  // namespace pure::core

namespace pure::detail {

/// `form` may be null.
inline const core::layout* layout_in(const core::shared_layout* form) noexcept {
  return form == nullptr ? nullptr : form->form.get();
}

inline core::placed_message kept(const placed_message& what) {
  return {what.base, what.bytes, what.form == nullptr ? core::layout_pointer() : what.form->form};
}

}  // namespace pure::detail
