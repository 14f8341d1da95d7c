#include "mpi/programs.hpp"

#include "support/oracle/generate.hpp"
#include "support/oracle/model.hpp"

namespace oracle {

program make_program(std::uint64_t seed) { return random_program(seed); }

std::string judge(const program& p, const std::vector<outcome>& outcomes, const std::vector<std::uint64_t>& completed) {
  return complaint_about(p, outcomes, completed);
}

std::string text_of(const program& p) { return to_text(p); }

}  // namespace oracle
