// The one error of a program that includes the typed interface without C++20. Not for programs.
//
// #error would let the compiler go on, through hundreds of errors that follow from the first. A header that is not there
// ends it, in GCC and in Clang: the name of that header is the message.
#pragma once

#if __cplusplus < 202002L
#include <pure/pure.hpp needs C++20: compile with -std=c++20 added, or with purecxx (pure.h needs only C++17)>
#endif
