// The loop of loops.hpp, by one thread.
#include "loops.hpp"

void amr::run_loop(std::size_t count, iterations* compute, void* context) { compute(0, count, context); }
