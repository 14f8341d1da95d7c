// tests/net/turns.cpp over the loopback network (support/loopback_main.cpp).
#define main program_main
#include "net/turns.cpp"
