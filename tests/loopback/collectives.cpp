// tests/net/collectives.cpp over the loopback network (support/loopback_main.cpp).
#define main program_main
#include "net/collectives.cpp"
