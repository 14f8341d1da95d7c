// Functions of libc that keep a text, or a place in one, have one for each rank: the results are libc's, whatever other
// ranks call meanwhile.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/ether.h>
#include <uchar.h>
#include <unistd.h>

#include <cerrno>
#include <cfloat>
#include <climits>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/environment.hpp"
#include "support/in_a_child.hpp"
#include "support/loaded_rank.hpp"

namespace texts_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::in_a_child;
using test_support::new_rank;

template <class Function>
Function* replaced(std::string_view name) {
  return test_support::replaced<Function>(text_replacements(), name);
}

/// While it lives, the process has that locale: libc's own state, that all threads share.
class in_locale {
 public:
  explicit in_locale(const char* name) : before_(std::setlocale(LC_ALL, nullptr)) {
    EXPECT_NE(std::setlocale(LC_ALL, name), nullptr) << name;
  }
  in_locale(const in_locale&) = delete;
  in_locale& operator=(const in_locale&) = delete;
  ~in_locale() { std::setlocale(LC_ALL, before_.c_str()); }

 private:
  std::string before_;
};

TEST(rank_texts, are_cut_into_tokens_where_each_rank_has_come_to) {
  const auto token = replaced<char*(char*, const char*)>("strtok");
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  char first[] = "a,b;;c";
  char second[] = "x y  z";
  const auto next = [&](hidden_state& rank, char* text, const char* separators) -> std::string {
    const as_rank here(rank);
    const char* const found = token(text, separators);
    return found == nullptr ? "none" : found;
  };
  EXPECT_EQ(next(one, first, ",;"), "a");
  EXPECT_EQ(next(other, second, " "), "x");
  EXPECT_EQ(next(one, nullptr, ";"), "b");
  EXPECT_EQ(next(other, nullptr, " "), "y");
  EXPECT_EQ(next(one, nullptr, ";"), "c");
  EXPECT_EQ(next(one, nullptr, ";"), "none");
  EXPECT_EQ(next(other, nullptr, " "), "z");
  EXPECT_EQ(next(other, nullptr, " "), "none");
}

// ---- characters that come in parts -------------------------------------------------------------------------------

/// Calls the functions that keep a state with bytes as they come, and tells all results.
struct conversions {
  int (*mblen)(const char*, std::size_t);
  int (*mbtowc)(wchar_t*, const char*, std::size_t);
  int (*wctomb)(char*, wchar_t);
  std::size_t (*mbrlen)(const char*, std::size_t, mbstate_t*);
  std::size_t (*mbrtowc)(wchar_t*, const char*, std::size_t, mbstate_t*);
  std::size_t (*wcrtomb)(char*, wchar_t, mbstate_t*);
  std::size_t (*mbsrtowcs)(wchar_t*, const char**, std::size_t, mbstate_t*);
  std::size_t (*wcsrtombs)(char*, const wchar_t**, std::size_t, mbstate_t*);
  std::size_t (*mbsnrtowcs)(wchar_t*, const char**, std::size_t, std::size_t, mbstate_t*);
  std::size_t (*wcsnrtombs)(char*, const wchar_t**, std::size_t, std::size_t, mbstate_t*);
  std::size_t (*mbrtoc16)(char16_t*, const char*, std::size_t, mbstate_t*);
  std::size_t (*c16rtomb)(char*, char16_t, mbstate_t*);
  std::size_t (*mbrtoc32)(char32_t*, const char*, std::size_t, mbstate_t*);
  std::size_t (*c32rtomb)(char*, char32_t, mbstate_t*);
};

const conversions of_libc = {std::mblen, mbtowc,     wctomb,     mbrlen,   mbrtowc,  wcrtomb,  mbsrtowcs,
                             wcsrtombs,  mbsnrtowcs, wcsnrtombs, mbrtoc16, c16rtomb, mbrtoc32, c32rtomb};
const conversions of_rank = {
    replaced<int(const char*, std::size_t)>("mblen"),
    replaced<int(wchar_t*, const char*, std::size_t)>("mbtowc"),
    replaced<int(char*, wchar_t)>("wctomb"),
    replaced<std::size_t(const char*, std::size_t, mbstate_t*)>("mbrlen"),
    replaced<std::size_t(wchar_t*, const char*, std::size_t, mbstate_t*)>("mbrtowc"),
    replaced<std::size_t(char*, wchar_t, mbstate_t*)>("wcrtomb"),
    replaced<std::size_t(wchar_t*, const char**, std::size_t, mbstate_t*)>("mbsrtowcs"),
    replaced<std::size_t(char*, const wchar_t**, std::size_t, mbstate_t*)>("wcsrtombs"),
    replaced<std::size_t(wchar_t*, const char**, std::size_t, std::size_t, mbstate_t*)>("mbsnrtowcs"),
    replaced<std::size_t(char*, const wchar_t**, std::size_t, std::size_t, mbstate_t*)>("wcsnrtombs"),
    replaced<std::size_t(char16_t*, const char*, std::size_t, mbstate_t*)>("mbrtoc16"),
    replaced<std::size_t(char*, char16_t, mbstate_t*)>("c16rtomb"),
    replaced<std::size_t(char32_t*, const char*, std::size_t, mbstate_t*)>("mbrtoc32"),
    replaced<std::size_t(char*, char32_t, mbstate_t*)>("c32rtomb"),
};

/// One that converts at random, and holds no state of its own; a step is one call.
class converter {
 public:
  converter(const conversions& with, unsigned seed) : with_(with), random_(seed) {}

  std::string step() {
    static const std::string bytes = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x80\xff";
    const std::size_t begin = random_() % bytes.size();
    const std::string text = bytes.substr(begin, random_() % 5);
    const char* source = text.c_str();
    const std::size_t size = random_() % 6;
    wchar_t wide[8] = {};
    char narrow[64] = {};
    char16_t wide16 = 0;
    char32_t wide32 = 0;
    static constexpr wchar_t wides[] = {0, L'a', 0xe9, 0x20ac, 0x1f600, 0xd83d, 0xde00, 0x7fffffff};
    const wchar_t any = wides[random_() % std::size(wides)];
    const wchar_t row[4] = {any, L'b', wides[random_() % std::size(wides)], 0};
    const wchar_t* wide_source = row;
    const bool whether = random_() % 4 == 0;
    long result = 0;
    errno = 0;
    switch (random_() % 14) {
      case 0: result = with_.mbtowc(wide, whether ? nullptr : source, size); break;
      case 1: result = with_.wctomb(whether ? nullptr : narrow, any); break;
      case 2: result = signed_(with_.mbrlen(source, size, nullptr)); break;
      case 3: result = signed_(with_.mbrtowc(wide, whether ? nullptr : source, size, nullptr)); break;
      case 4: result = signed_(with_.wcrtomb(whether ? nullptr : narrow, any, nullptr)); break;
      case 5: result = signed_(with_.mbsrtowcs(wide, &source, size, nullptr)); break;
      case 6: result = signed_(with_.wcsrtombs(narrow, &wide_source, size * 3, nullptr)); break;
      case 7: result = signed_(with_.mbsnrtowcs(wide, &source, std::min(size, text.size()), 7, nullptr)); break;
      case 8: result = signed_(with_.wcsnrtombs(narrow, &wide_source, size % 4, 60, nullptr)); break;
      case 9: result = signed_(with_.mbrtoc16(&wide16, source, size, nullptr)); break;
      case 10: result = signed_(with_.c16rtomb(narrow, static_cast<char16_t>(any), nullptr)); break;
      case 11: result = signed_(with_.mbrtoc32(&wide32, source, size, nullptr)); break;
      case 12: result = with_.mblen(whether ? nullptr : source, size); break;
      default: result = signed_(with_.c32rtomb(narrow, static_cast<char32_t>(any), nullptr)); break;
    }
    std::string told = std::to_string(result) + " errno " + std::to_string(errno) + " " + narrow;
    for (const wchar_t one : wide) told += " " + std::to_string(one);
    told += " " + std::to_string(wide16) + " " + std::to_string(static_cast<unsigned>(wide32));
    told += " " + (source == nullptr ? "end" : std::to_string(source - text.c_str()));
    return told + " " + (wide_source == nullptr ? "end" : std::to_string(wide_source - row));
  }

 private:
  static long signed_(std::size_t size) { return static_cast<long>(size); }

  const conversions& with_;
  std::mt19937 random_;
};

/// libc's own states are those of a new process, in a child: nobody uses them in this one.
void compare_conversions(const char* locale) {
  const in_locale now(locale);
  const auto set_locale = test_support::replaced<char*(int, const char*)>(locale_replacements(), "setlocale");
  constexpr int steps = 300;
  for (unsigned seed = 1; seed <= static_cast<unsigned>(test_support::repetitions(60)); ++seed) {
    hidden_state* ranks[] = {&new_rank(), &new_rank()};
    converter programs[] = {{of_rank, seed}, {of_rank, seed + 1}};
    std::vector<std::string> told[2];
    for (int i = 0; i < steps; ++i)
      for (int rank : {0, 1}) {
        const as_rank here(*ranks[rank]);
        if (i == 0) {
          ASSERT_NE(set_locale(LC_ALL, locale), nullptr);
        }
        told[rank].push_back(programs[rank].step());
      }
    for (unsigned rank : {0U, 1U}) {
      ASSERT_EQ(in_a_child([&] {
                  converter alone(of_libc, seed + rank);
                  for (int i = 0; i < steps; ++i)
                    if (told[rank][static_cast<std::size_t>(i)] != alone.step()) return 1;
                  return 0;
                }),
                0)
          << "seed " << seed + rank;
    }
  }
}

TEST(rank_texts, have_parts_of_characters_of_their_own) {
  compare_conversions("C.UTF-8");
  compare_conversions("C");
}

// ---- results -----------------------------------------------------------------------------------------------------

template <class Number>
void compare_digits(const char* name, char* (*libc)(Number, int, int*, int*), std::vector<Number> numbers) {
  const auto ours = replaced<char*(Number, int, int*, int*)>(name);
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  for (const Number number : numbers)
    for (const int digits : {-400, -3, 0, 1, 5, 17, 18, 30, 400}) {
      int expected_point = 77, expected_sign = 77, point = 77, sign = 77;
      const std::string expected = libc(number, digits, &expected_point, &expected_sign);
      char* result = nullptr;
      {
        const as_rank here(one);
        result = ours(number, digits, &point, &sign);
      }
      {
        const as_rank here(other);
        int p = 0, s = 0;
        ours(Number{7}, 3, &p, &s);
      }
      ASSERT_EQ(result, expected) << name << " " << number << " " << digits;
      ASSERT_EQ(std::tie(point, sign), std::tie(expected_point, expected_sign)) << name << " " << number;
    }
}

template <class Number>
std::vector<Number> telling_numbers() {
  std::vector<Number> numbers = {0,
                                 Number(-0.0),
                                 1,
                                 Number(-1.5),
                                 Number(0.1),
                                 Number(123456.789),
                                 Number(9.9999999999),
                                 std::numeric_limits<Number>::infinity(),
                                 -std::numeric_limits<Number>::infinity(),
                                 std::numeric_limits<Number>::quiet_NaN(),
                                 std::numeric_limits<Number>::denorm_min()};
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i)
    numbers.push_back(
        std::ldexp(static_cast<Number>(random()) * (i % 2 == 0 ? 1 : -1), static_cast<int>(random() % 200) - 160));
  numbers.push_back(
      std::numeric_limits<Number>::max());  // does not fit the small memory: afterwards it is the large one
  for (int i = 0; i < 100; ++i)
    numbers.push_back(std::ldexp(static_cast<Number>(random()), static_cast<int>(random() % 900) - 500));
  return numbers;
}

TEST(rank_texts, are_digits_as_libc_writes_them) {
  compare_digits<double>("ecvt", ecvt, telling_numbers<double>());
  compare_digits<double>("fcvt", fcvt, telling_numbers<double>());
  compare_digits<long double>("qecvt", qecvt, telling_numbers<long double>());
  compare_digits<long double>("qfcvt", qfcvt, telling_numbers<long double>());
}

TEST(rank_texts, are_numbers_in_base_64) {
  const auto ours = replaced<char*(long)>("l64a");
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  for (const long number : {0L, 1L, 63L, 64L, -1L, 123456789L, 0x7fffffffL, 0x80000000L, 0x123456789L, LONG_MIN}) {
    const std::string expected = l64a(number);
    const as_rank here(one);
    const char* const result = ours(number);
    const as_rank there(other);
    ours(4711);
    EXPECT_EQ(result, expected) << number;
  }
}

TEST(rank_texts, are_names_of_terminals_users_and_files) {
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  const auto terminal = replaced<char*(int)>("ptsname");
  const int first = posix_openpt(O_RDWR | O_NOCTTY);
  const int second = posix_openpt(O_RDWR | O_NOCTTY);
  if (first >= 0 && second >= 0) {
    const std::string expected = ptsname(first);
    const char* result = nullptr;
    {
      const as_rank here(one);
      result = terminal(first);
    }
    const as_rank here(other);
    EXPECT_STREQ(terminal(second), ptsname(second));
    EXPECT_EQ(result, expected);
    unlockpt(first);
    const int end = open(ptsname(first), O_RDWR | O_NOCTTY);
    const auto name = replaced<char*(int)>("ttyname");
    if (ttyname(end) != nullptr) {
      EXPECT_STREQ(name(end), ttyname(end));
    }
    close(end);
  }
  close(first);
  close(second);

  const as_rank here(one);
  const int file = open("/dev/null", O_RDONLY);
  errno = 0;
  EXPECT_EQ(replaced<char*(int)>("ttyname")(file), nullptr);
  EXPECT_EQ(errno, ENOTTY);
  errno = 0;
  EXPECT_EQ(terminal(file), nullptr);
  EXPECT_EQ(errno, ENOTTY);
  close(file);

  const char* const login = getlogin();
  const char* const login_here = replaced<char*()>("getlogin")();
  EXPECT_EQ(login_here == nullptr, login == nullptr);
  if (login != nullptr && login_here != nullptr) {
    EXPECT_STREQ(login_here, login);
  }

  const auto temporary = replaced<char*(char*)>("tmpnam");
  const std::string name = temporary(nullptr);
  EXPECT_EQ(name.substr(0, 9), "/tmp/file");
  char own[L_tmpnam];
  EXPECT_EQ(temporary(own), own);
  EXPECT_NE(own, name);
  EXPECT_STREQ(one.text.tmpnam, name.c_str());
}

TEST(rank_texts, are_addresses_of_network_cards) {
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  const auto text_of = replaced<char*(const ether_addr*)>("ether_ntoa");
  const auto address_of = replaced<ether_addr*(const char*)>("ether_aton");
  const char* text = nullptr;
  {
    const as_rank here(one);
    text = text_of(address_of("01:23:45:67:89:ab"));
  }
  const as_rank here(other);
  EXPECT_EQ(address_of("no"), nullptr);
  EXPECT_STREQ(text_of(address_of("0:0:0:0:0:1")), "0:0:0:0:0:1");
  EXPECT_STREQ(text, "1:23:45:67:89:ab");
}

}  // namespace texts_test
