// Places of strtok and of the functions for texts with wide characters, and the texts that functions return
// (text_replacements.cpp). libc guards none of them.
#pragma once

#include <netinet/ether.h>
#include <wchar.h>

#include <cstdio>

namespace pure::core {

struct text_state {
  char* token_rest = nullptr;  // strtok

  // Each function has a state of its own for characters that it has seen a part of, where the caller gives none.
  mbstate_t mbtowc{}, wctomb{}, mbrlen{}, mbrtowc{}, wcrtomb{}, mbsrtowcs{}, wcsrtombs{}, mbsnrtowcs{}, wcsnrtombs{},
      mbrtoc8{}, c8rtomb{}, mbrtoc16{}, c16rtomb{}, mbrtoc32{}, c32rtomb{};

  // Results. Those of ecvt and its relatives are as long as libc's; a number may not fit, and then they are cut there.
  static constexpr int double_digits = 17 + 3;
  static constexpr int long_double_digits = 30 + 3;
  char ecvt[double_digits], fcvt[double_digits], qecvt[long_double_digits], qfcvt[long_double_digits];
  char* long_fcvt = nullptr;  // from the first number on that did not fit
  char* long_qfcvt = nullptr;
  char l64a[7];
  char tmpnam[L_tmpnam];
  char ptsname[20 + sizeof "/dev/pts/"];
  char* ttyname = nullptr;
  char* login = nullptr;
  char ether_ntoa[18];
  ether_addr ether_aton;
};

}  // namespace pure::core
