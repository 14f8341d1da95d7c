// tests/net/aggregations.cpp over the loopback network (support/loopback_main.cpp).
#define main program_main
#include "net/aggregations.cpp"
