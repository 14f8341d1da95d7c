// Names of functions, as they are shown.
#include "hang/symbol_names.hpp"

#include <gtest/gtest.h>

namespace pure::core {
namespace {

TEST(symbol_names, of_cxx_are_readable) { EXPECT_EQ(readable_name("_ZN4pure4core4selfEv"), "pure::core::self()"); }

/// Which alone would be types: "float", "int".
TEST(symbol_names, of_c_stay_as_they_are) {
  for (const char* const name : {"main", "f", "i", "Pi"}) EXPECT_EQ(readable_name(name), name);
}

}  // namespace
}  // namespace pure::core
