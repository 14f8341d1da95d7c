// The programs of the oracle and its judgement, compiled once for all MPIs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/oracle/program.hpp"

namespace oracle {

program make_program(std::uint64_t seed);
/// What is wrong with the outcomes; empty if the standard allows them.
std::string judge(const program& p, const std::vector<outcome>& outcomes, const std::vector<std::uint64_t>& completed);
std::string text_of(const program& p);

}  // namespace oracle
