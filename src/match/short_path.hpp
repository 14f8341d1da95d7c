// The short path: what an eager message executes, inline in the calls of both interfaces. Sends are in short_send.hpp,
// receives and probes in short_receive.hpp; the engine only passes on to them.
//
// No allocation, no system call, no lock, no indirect call, and no structure that is written in parts and read as a
// whole (such a read waits for the stores to reach the cache; D-call-sites).
#pragma once

#include "match/match_engine.hpp"
#include "match/short_receive.hpp"
#include "match/short_send.hpp"
