// tests/net/windows.cpp over the loopback network (support/loopback_main.cpp).
#define main program_main
#include "net/windows.cpp"
