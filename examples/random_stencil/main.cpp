// The program of one version, which the build names. Every rank runs main.
#include "driver.hpp"
#include "listings.hpp"

int main(int argc, char** argv) { return run_stencil(argc, argv, VERSION, RAND_STENCIL); }
