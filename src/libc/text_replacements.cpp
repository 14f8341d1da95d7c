// strtok, the functions for texts with wide characters that keep a state, and those that return a text in memory of
// libc's, for each rank. Where libc has a form that takes the memory from its caller, that form does the work.
//
// As in libc, a rank's threads must not call one of them at once.
#include "libc/text_state.hpp"

#include <dlfcn.h>
#include <netinet/ether.h>
#include <uchar.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "libc/hidden_state.hpp"
#include "libc/replacements.hpp"

// What programs call that were compiled with _FORTIFY_SOURCE: the last argument is the size of the memory, if known.
extern "C" {
size_t __mbsrtowcs_chk(wchar_t*, const char**, size_t, mbstate_t*, size_t) noexcept;
size_t __mbsnrtowcs_chk(wchar_t*, const char**, size_t, size_t, mbstate_t*, size_t) noexcept;
size_t __wcsrtombs_chk(char*, const wchar_t**, size_t, mbstate_t*, size_t) noexcept;
size_t __wcsnrtombs_chk(char*, const wchar_t**, size_t, size_t, mbstate_t*, size_t) noexcept;
size_t __wcrtomb_chk(char*, wchar_t, mbstate_t*, size_t) noexcept;
}

namespace pure::core {

namespace {

text_state& texts() noexcept { return hidden_state_here().text; }

char* rank_strtok(char* text, const char* separators) { return strtok_r(text, separators, &texts().token_rest); }

// ---- multibyte characters ----------------------------------------------------------------------------------------

int rank_mbtowc(wchar_t* character, const char* text, std::size_t size) {
  mbstate_t& state = texts().mbtowc;
  if (text == nullptr) {
    state = {};
    return std::mblen(nullptr, 0);  // whether the encoding has states; mblen keeps none from call to call
  }
  if (*text == '\0') {
    if (character != nullptr) *character = L'\0';
    return 0;
  }
  const int length = static_cast<int>(mbrtowc(character, text, size, &state));
  return length < 0 ? -1 : length;
}

/// libc begins anew with each call, but in memory that all its callers share.
int rank_mblen(const char* text, std::size_t size) {
  if (text == nullptr) return std::mblen(nullptr, 0);
  if (*text == '\0') return 0;
  mbstate_t none{};
  const int length = static_cast<int>(mbrtowc(nullptr, text, size, &none));
  return length < 0 ? -1 : length;
}

int rank_wctomb(char* text, wchar_t character) {
  mbstate_t& state = texts().wctomb;
  if (text == nullptr) {
    state = {};
    return std::mblen(nullptr, 0);
  }
  return static_cast<int>(wcrtomb(text, character, &state));
}

std::size_t rank_mbrlen(const char* text, std::size_t size, mbstate_t* state) {
  return mbrlen(text, size, state == nullptr ? &texts().mbrlen : state);
}

std::size_t rank_mbrtowc(wchar_t* character, const char* text, std::size_t size, mbstate_t* state) {
  return mbrtowc(character, text, size, state == nullptr ? &texts().mbrtowc : state);
}

std::size_t rank_wcrtomb(char* text, wchar_t character, mbstate_t* state) {
  return wcrtomb(text, character, state == nullptr ? &texts().wcrtomb : state);
}

std::size_t rank_mbsrtowcs(wchar_t* wide, const char** text, std::size_t size, mbstate_t* state) {
  return mbsrtowcs(wide, text, size, state == nullptr ? &texts().mbsrtowcs : state);
}

std::size_t rank_wcsrtombs(char* text, const wchar_t** wide, std::size_t size, mbstate_t* state) {
  return wcsrtombs(text, wide, size, state == nullptr ? &texts().wcsrtombs : state);
}

std::size_t rank_mbsnrtowcs(wchar_t* wide, const char** text, std::size_t bytes, std::size_t size, mbstate_t* state) {
  return mbsnrtowcs(wide, text, bytes, size, state == nullptr ? &texts().mbsnrtowcs : state);
}

std::size_t rank_wcsnrtombs(char* text, const wchar_t** wide, std::size_t count, std::size_t size, mbstate_t* state) {
  return wcsnrtombs(text, wide, count, size, state == nullptr ? &texts().wcsnrtombs : state);
}

std::size_t rank_mbrtoc16(char16_t* character, const char* text, std::size_t size, mbstate_t* state) {
  return mbrtoc16(character, text, size, state == nullptr ? &texts().mbrtoc16 : state);
}

std::size_t rank_c16rtomb(char* text, char16_t character, mbstate_t* state) {
  return c16rtomb(text, character, state == nullptr ? &texts().c16rtomb : state);
}

std::size_t rank_mbrtoc8(char8_t* character, const char* text, std::size_t size, mbstate_t* state) {
  return mbrtoc8(character, text, size, state == nullptr ? &texts().mbrtoc8 : state);
}

std::size_t rank_c8rtomb(char* text, char8_t character, mbstate_t* state) {
  return c8rtomb(text, character, state == nullptr ? &texts().c8rtomb : state);
}

std::size_t rank_mbrtoc32(char32_t* character, const char* text, std::size_t size, mbstate_t* state) {
  return mbrtoc32(character, text, size, state == nullptr ? &texts().mbrtoc32 : state);
}

std::size_t rank_c32rtomb(char* text, char32_t character, mbstate_t* state) {
  return c32rtomb(text, character, state == nullptr ? &texts().c32rtomb : state);
}

std::size_t checked_mbsrtowcs(wchar_t* wide, const char** text, std::size_t size, mbstate_t* state, std::size_t room) {
  return __mbsrtowcs_chk(wide, text, size, state == nullptr ? &texts().mbsrtowcs : state, room);
}

std::size_t checked_mbsnrtowcs(wchar_t* wide, const char** text, std::size_t bytes, std::size_t size, mbstate_t* state,
                               std::size_t room) {
  return __mbsnrtowcs_chk(wide, text, bytes, size, state == nullptr ? &texts().mbsnrtowcs : state, room);
}

std::size_t checked_wcsrtombs(char* text, const wchar_t** wide, std::size_t size, mbstate_t* state, std::size_t room) {
  return __wcsrtombs_chk(text, wide, size, state == nullptr ? &texts().wcsrtombs : state, room);
}

std::size_t checked_wcsnrtombs(char* text, const wchar_t** wide, std::size_t count, std::size_t size, mbstate_t* state,
                               std::size_t room) {
  return __wcsnrtombs_chk(text, wide, count, size, state == nullptr ? &texts().wcsnrtombs : state, room);
}

std::size_t checked_wcrtomb(char* text, wchar_t character, mbstate_t* state, std::size_t room) {
  return __wcrtomb_chk(text, character, state == nullptr ? &texts().wcrtomb : state, room);
}

int checked_wctomb(char* text, wchar_t character, std::size_t room) {
  if (text == nullptr) return rank_wctomb(text, character);
  return static_cast<int>(__wcrtomb_chk(text, character, &texts().wctomb, room));
}

// ---- numbers as texts --------------------------------------------------------------------------------------------

char* rank_ecvt(double value, int digits, int* point, int* sign) {
  text_state& state = texts();
  ecvt_r(value, digits, point, sign, state.ecvt, sizeof state.ecvt);
  return state.ecvt;
}

char* rank_qecvt(long double value, int digits, int* point, int* sign) {
  text_state& state = texts();
  qecvt_r(value, digits, point, sign, state.qecvt, sizeof state.qecvt);
  return state.qecvt;
}

/// write(memory, size) is negative if that is too small; from then on it is the memory for all numbers, as in libc.
template <class Write>
char* written(char* small, std::size_t small_size, char*& large, std::size_t large_size, Write write) {
  if (large == nullptr) {
    if (write(small, small_size) != -1) return small;
    large = static_cast<char*>(std::malloc(large_size));
    if (large == nullptr) return small;
  }
  write(large, large_size);
  return large;
}

char* rank_fcvt(double value, int digits, int* point, int* sign) {
  text_state& state = texts();
  return written(state.fcvt, sizeof state.fcvt, state.long_fcvt, sizeof state.fcvt + __DBL_MAX_10_EXP__,
                 [&](char* text, std::size_t size) { return fcvt_r(value, digits, point, sign, text, size); });
}

char* rank_qfcvt(long double value, int digits, int* point, int* sign) {
  text_state& state = texts();
  return written(state.qfcvt, sizeof state.qfcvt, state.long_qfcvt, sizeof state.qfcvt + __LDBL_MAX_10_EXP__,
                 [&](char* text, std::size_t size) { return qfcvt_r(value, digits, point, sign, text, size); });
}

char* rank_l64a(long value) {
  static constexpr char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  char* const text = texts().l64a;
  char* end = text;
  for (unsigned long rest = static_cast<unsigned long>(value) & 0xffffffff; rest != 0; rest >>= 6)
    *end++ = digits[rest & 63];
  *end = '\0';
  return text;
}

// ---- names -------------------------------------------------------------------------------------------------------

/// By dlsym: a linker warns of each use of tmpnam, and this is the program's.
char* rank_tmpnam(char* name) {
  using function = char* (*)(char*);
  static const auto of_libc = reinterpret_cast<function>(dlsym(RTLD_DEFAULT, "tmpnam"));
  char made[L_tmpnam];
  if (of_libc(made) == nullptr) return nullptr;
  return std::strcpy(name == nullptr ? texts().tmpnam : name, made);
}

char* rank_ptsname(int descriptor) {
  text_state& state = texts();
  return ptsname_r(descriptor, state.ptsname, sizeof state.ptsname) != 0 ? nullptr : state.ptsname;
}

char* rank_ttyname(int descriptor) {
  char*& name = texts().ttyname;
  if (name == nullptr && (name = static_cast<char*>(std::malloc(PATH_MAX))) == nullptr) return nullptr;
  const int error = ttyname_r(descriptor, name, PATH_MAX);
  if (error == 0) return name;
  errno = error;
  return nullptr;
}

char* rank_getlogin() {
  char*& name = texts().login;
  if (name == nullptr && (name = static_cast<char*>(std::malloc(LOGIN_NAME_MAX + 1))) == nullptr) return nullptr;
  return getlogin_r(name, LOGIN_NAME_MAX + 1) != 0 ? nullptr : name;
}

char* rank_ether_ntoa(const ether_addr* address) { return ether_ntoa_r(address, texts().ether_ntoa); }

ether_addr* rank_ether_aton(const char* text) { return ether_aton_r(text, &texts().ether_aton); }

}  // namespace

std::span<const replacement> text_replacements() noexcept {
  static const replacement table[] = {
      replaced_by("strtok", rank_strtok),
      replaced_by("mblen", rank_mblen),
      replaced_by("mbtowc", rank_mbtowc),
      replaced_by("wctomb", rank_wctomb),
      replaced_by("mbrlen", rank_mbrlen),
      replaced_by("__mbrlen", rank_mbrlen),
      replaced_by("mbrtowc", rank_mbrtowc),
      replaced_by("mbrtoc32", rank_mbrtoc32),
      replaced_by("wcrtomb", rank_wcrtomb),
      replaced_by("c32rtomb", rank_c32rtomb),
      replaced_by("mbsrtowcs", rank_mbsrtowcs),
      replaced_by("wcsrtombs", rank_wcsrtombs),
      replaced_by("mbsnrtowcs", rank_mbsnrtowcs),
      replaced_by("wcsnrtombs", rank_wcsnrtombs),
      replaced_by("mbrtoc16", rank_mbrtoc16),
      replaced_by("c16rtomb", rank_c16rtomb),
      replaced_by("mbrtoc8", rank_mbrtoc8),
      replaced_by("c8rtomb", rank_c8rtomb),
      replaced_by("__mbrtowc", rank_mbrtowc),
      replaced_by("__mbsrtowcs_chk", checked_mbsrtowcs),
      replaced_by("__mbsnrtowcs_chk", checked_mbsnrtowcs),
      replaced_by("__wcsrtombs_chk", checked_wcsrtombs),
      replaced_by("__wcsnrtombs_chk", checked_wcsnrtombs),
      replaced_by("__wcrtomb_chk", checked_wcrtomb),
      replaced_by("__wctomb_chk", checked_wctomb),
      replaced_by("ecvt", rank_ecvt),
      replaced_by("fcvt", rank_fcvt),
      replaced_by("qecvt", rank_qecvt),
      replaced_by("qfcvt", rank_qfcvt),
      replaced_by("l64a", rank_l64a),
      replaced_by("tmpnam", rank_tmpnam),
      replaced_by("ptsname", rank_ptsname),
      replaced_by("ttyname", rank_ttyname),
      replaced_by("getlogin", rank_getlogin),
      replaced_by("ether_ntoa", rank_ether_ntoa),
      replaced_by("ether_aton", rank_ether_aton),
  };
  return table;
}

}  // namespace pure::core
