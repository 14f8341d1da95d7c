// PURE_API: a function, class or variable of the library's interface.
//
// The library is compiled with hidden symbols: what carries this mark is what libpure.so exports.
#pragma once

#define PURE_API __attribute__((visibility("default")))
