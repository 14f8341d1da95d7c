// For tests of pure.h: info objects.
#pragma once

#include <pure.h>

#include <gtest/gtest.h>

#include "support/pure_h.hpp"

namespace test_support {

/// An info object with one key.
inline pure_info info_with(const char* key, const char* value) {
  pure_info made = PURE_INFO_NULL;
  EXPECT_OK(pure_info_create(&made));
  EXPECT_OK(pure_info_set(made, key, value));
  return made;
}

}  // namespace test_support
