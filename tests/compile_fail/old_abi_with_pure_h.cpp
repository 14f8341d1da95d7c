// Compiles: no string of C++ is in pure.h and the headers that it includes
#define _GLIBCXX_USE_CXX11_ABI 0
#include <pure.h>
#include <pure/aggregation.h>
#include <pure/collectives_nonblocking.h>
#include <pure/communicators.h>
#include <pure/info.h>
#include <pure/layouts.h>
#include <pure/messages.h>
#include <pure/window_attributes.h>
#include <pure/windows.h>
int main() {}
