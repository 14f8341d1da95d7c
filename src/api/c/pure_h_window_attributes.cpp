// pure.h, attributes of windows (pure/window_attributes.h).
#include <pure.h>

#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "api/c/group.hpp"
#include "api/c/window.hpp"

using pure::errc;
using namespace pure::core;

namespace {

attribute_table& attributes_of(const call& by) { return rank_objects::of(rank_of(by)).of_windows; }

void require_key_of_windows(const call& by, int keyval) {
  if (attributes_of(by).is_key(keyval)) return;
  const bool is_own = keyval >= PURE_WIN_BASE && keyval <= PURE_WIN_MODEL;
  throw_wrong_call(
      by, errc::keyval,
      is_own ? fmt::format("{} is an attribute that the window has of itself: it cannot be changed", keyval)
             : fmt::format("{} is no key that this rank has from pure_win_create_keyval, or it was freed", keyval));
}

}  // namespace

namespace pure::core {

void throw_failed_callback(const window& of, const call& by, int keyval, int result) {
  of.throw_wrong(by, errc::other,
                 fmt::format("the callback that deletes attribute {} has returned {}", keyval, result));
}

}  // namespace pure::core

int PURE_WIN_DUP_FN(pure_win, int, void*, void* value, void* copy, int* flag) {
  std::memcpy(copy, &value, sizeof value);
  *flag = 1;
  return PURE_SUCCESS;
}

int pure_win_create_keyval(pure_win_copy_attr_function* /*copy*/, pure_win_delete_attr_function* remove, int* keyval,
                           void* extra_state, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, keyval, "keyval");
    attribute_callbacks callbacks;
    if (remove != nullptr) {
      callbacks.remove = [remove, extra_state](std::uint64_t win, int key, void* value) {
        return remove(static_cast<pure_win>(win), key, value, extra_state);
      };
    }
    *keyval = attributes_of(by).create_key(std::move(callbacks));
  });
}

int pure_win_free_keyval(int* keyval, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, keyval, "keyval");
    require_key_of_windows(by, *keyval);
    attributes_of(by).free_key(*keyval);
    *keyval = PURE_KEYVAL_INVALID;
  });
}

int pure_win_set_attr(pure_win win, int keyval, void* value, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const window& of = window_of(by, win);
    require_key_of_windows(by, keyval);
    if (const int result = attributes_of(by).set(of.handle(), keyval, value); result != PURE_SUCCESS)
      throw_failed_callback(of, by, keyval, result);
  });
}

int pure_win_delete_attr(pure_win win, int keyval, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const window& of = window_of(by, win);
    if (attributes_of(by).find(of.handle(), keyval) == nullptr) {
      require_key_of_windows(by, keyval);
      of.throw_wrong(by, errc::keyval, fmt::format("it has no attribute {}", keyval));
    }
    if (const int result = attributes_of(by).remove(of.handle(), keyval); result != PURE_SUCCESS)
      throw_failed_callback(of, by, keyval, result);
  });
}
