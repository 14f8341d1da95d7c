// Call sites: files and lines, and addresses, whose names somebody else knows.
#include <gtest/gtest.h>

#include <string>

#include "base/call.hpp"
#include "base/call_site.hpp"

namespace {

using namespace pure::core;

static_assert(sizeof(site_of_call) == sizeof(pure_call_site) && sizeof(site_of_call) == 16, "two words: D-call-sites");

int resolutions = 0;

std::string by_counting(const void* address) {
  ++resolutions;
  return address == nullptr ? "" : "halo.cpp:12 (exchange)";
}

/// As long as it lives, another resolver.
class with_resolver {
 public:
  explicit with_resolver(address_resolver other) noexcept : before_(set_address_resolver(other)) { resolutions = 0; }
  with_resolver(const with_resolver&) = delete;
  with_resolver& operator=(const with_resolver&) = delete;
  ~with_resolver() { set_address_resolver(before_); }

 private:
  const address_resolver before_;
};

const int somewhere = 0, elsewhere = 0;

TEST(call_site, of_a_file) {
  const site_of_call site = pure_call_site("solver.cpp", 120);
  EXPECT_FALSE(site.is_address());
  EXPECT_EQ(to_text(site), "solver.cpp:120");
  EXPECT_STREQ(spelled_out(site).file, "solver.cpp");
  EXPECT_EQ(spelled_out(site).line, 120U);
}

TEST(call_site, that_is_not_known) {
  EXPECT_EQ(to_text(site_of_call()), "");
  EXPECT_EQ(to_text(site_of_call(nullptr, 0)), "");
  EXPECT_STREQ(spelled_out(site_of_call()).file, "");
}

TEST(call_site, an_address_is_what_the_resolver_says) {
  const with_resolver counting(by_counting);
  const site_of_call site = site_of_call::returning_to(&somewhere);
  EXPECT_TRUE(site.is_address());
  EXPECT_EQ(resolutions, 0) << "nobody has asked";
  EXPECT_EQ(to_text(site), "halo.cpp:12 (exchange)");
  EXPECT_STREQ(spelled_out(site).file, "halo.cpp:12 (exchange)");
  EXPECT_EQ(to_text(spelled_out(site)), to_text(site)) << "for whoever sends the two apart";
}

TEST(call_site, an_address_is_resolved_once_and_its_text_stays) {
  const with_resolver counting(by_counting);
  const site_of_call site = site_of_call::returning_to(&elsewhere);
  const char* const text = spelled_out(site).file;
  EXPECT_EQ(to_text(site), text);
  EXPECT_EQ(spelled_out(site).file, text) << "the same memory";
  EXPECT_EQ(resolutions, 1);
}

TEST(call_site, an_address_that_nobody_knows_is_a_number) {
  const with_resolver none(nullptr);
  EXPECT_EQ(to_text(site_of_call::returning_to(&somewhere)).substr(0, 2), "0x");
  const with_resolver ignorant([](const void*) { return std::string(); });
  EXPECT_EQ(to_text(site_of_call::returning_to(&somewhere)).substr(0, 2), "0x");
}

TEST(call_site, a_call_keeps_what_it_is_given) {
  const call typed("pure_send_msg", pure_call_site("a.cpp", 3), call::sends(7));
  EXPECT_EQ(to_text(typed.site), "a.cpp:3");
  EXPECT_EQ(typed.site.types, 7U);
  const call from_c("MPI_Send", site_of_call::returning_to(&somewhere), call::receives(7));
  EXPECT_TRUE(from_c.site.is_address());
  EXPECT_EQ(from_c.site.address(), &somewhere);
  EXPECT_EQ(from_c.site.types, 7U << 16);
}

}  // namespace
