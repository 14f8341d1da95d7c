// printable(): text of others does nothing to a terminal, and what people can read stays as it is.
#include "base/printable_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using pure::core::printable;
using namespace std::string_literals;

TEST(PrintableText, WhatPeopleReadStays) {
  for (const std::string& text : {""s, "rank 0 computes\n"s, "std::vector<int>&&[]{}\\"s, "Zürich, naïve, Ω ≤ 3"s,
                                  "日本語 한국어"s, "\xf0\x9f\x99\x82"s}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(PrintableText, ControlsAreShown) {
  EXPECT_EQ(printable("\x1b[2J\x1b]0;title\a"), "\\x1b[2J\\x1b]0;title\\x07");
  EXPECT_EQ(printable("a\rb\tc\bd\x7f"), "a\\rb\\tc\\x08d\\x7f");
  EXPECT_EQ(printable("nul\0 in it"s), "nul\\x00 in it");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u{9b}31m");  // CSI as one character
}

TEST(PrintableText, AWordStaysInItsLine) {
  EXPECT_EQ(pure::core::printable_word("a\npure: rank 0 crashed\n"), "a\\npure: rank 0 crashed\\n");
  EXPECT_EQ(pure::core::printable_word("a b"), "a b");
}

TEST(PrintableText, NoByteThatIsNoUtf8Passes) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xc3"), "\\xc3");                    // cut off
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");           // cut off
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // overlong
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");  // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xc3(\xff"), "\\xc3(\\xff");
}

TEST(PrintableText, WhatNobodySeesIsShown) {
  EXPECT_EQ(printable("a\u202eb\u200bc\ufeff"), "a\\u{202e}b\\u{200b}c\\u{feff}");
  EXPECT_EQ(printable("\u2028"), "\\u{2028}");
  EXPECT_EQ(printable("\uffff"), "\\u{ffff}");
}

TEST(PrintableText, EveryByteComesOutPrintable) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = printable(std::string{static_cast<char>(first), static_cast<char>(second)});
      for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        EXPECT_TRUE(byte == '\n' || (byte >= 0x20 && byte != 0x7f)) << first << " " << second;
      }
      EXPECT_EQ(printable(text), text);  // what has come out is what may go in
    }
  }
}

}  // namespace
