// rand, random, drand48 and their relatives for each rank: the same numbers as a process of its own would get, whatever
// other ranks take. libc's own generators do the work, over the rank's state.
//
// Any thread. rand and random have one lock for each rank, as libc has one for the process; drand48 has none there
// either.
#include "libc/random_state.hpp"

#include "libc/hidden_state.hpp"
#include "libc/replacements.hpp"

namespace pure::core {

random_state::random_state() noexcept { initstate_r(1, reinterpret_cast<char*>(table), sizeof table, &sequence); }

namespace {

// What initstate and setstate return: the table in use, which begins with its kind.
char* table_in_use(random_state& state) noexcept { return reinterpret_cast<char*>(state.sequence.state - 1); }

long rank_random() {
  random_state& state = hidden_state_here().random;
  const std::scoped_lock held(state.lock);
  std::int32_t result = 0;
  random_r(&state.sequence, &result);
  return result;
}

int rank_rand() { return static_cast<int>(rank_random()); }

void rank_srandom(unsigned seed) {
  random_state& state = hidden_state_here().random;
  const std::scoped_lock held(state.lock);
  srandom_r(seed, &state.sequence);
}

char* rank_initstate(unsigned seed, char* table, std::size_t size) {
  random_state& state = hidden_state_here().random;
  const std::scoped_lock held(state.lock);
  char* const before = table_in_use(state);
  return initstate_r(seed, table, size, &state.sequence) < 0 ? nullptr : before;
}

char* rank_setstate(char* table) {
  random_state& state = hidden_state_here().random;
  const std::scoped_lock held(state.lock);
  char* const before = table_in_use(state);
  return setstate_r(table, &state.sequence) < 0 ? nullptr : before;
}

double rank_erand48(unsigned short* seed) {
  double result = 0;
  erand48_r(seed, &hidden_state_here().random.sequence48, &result);
  return result;
}

double rank_drand48() { return rank_erand48(hidden_state_here().random.sequence48.__x); }

long rank_nrand48(unsigned short* seed) {
  long result = 0;
  nrand48_r(seed, &hidden_state_here().random.sequence48, &result);
  return result;
}

long rank_lrand48() { return rank_nrand48(hidden_state_here().random.sequence48.__x); }

long rank_jrand48(unsigned short* seed) {
  long result = 0;
  jrand48_r(seed, &hidden_state_here().random.sequence48, &result);
  return result;
}

long rank_mrand48() { return rank_jrand48(hidden_state_here().random.sequence48.__x); }

void rank_srand48(long seed) { srand48_r(seed, &hidden_state_here().random.sequence48); }

unsigned short* rank_seed48(unsigned short* seed) {
  drand48_data& state = hidden_state_here().random.sequence48;
  seed48_r(seed, &state);
  return state.__old_x;
}

void rank_lcong48(unsigned short* parameters) { lcong48_r(parameters, &hidden_state_here().random.sequence48); }

}  // namespace

std::span<const replacement> random_replacements() noexcept {
  static const replacement table[] = {
      replaced_by("rand", rank_rand),           replaced_by("srand", rank_srandom),
      replaced_by("random", rank_random),       replaced_by("srandom", rank_srandom),
      replaced_by("initstate", rank_initstate), replaced_by("setstate", rank_setstate),
      replaced_by("drand48", rank_drand48),     replaced_by("erand48", rank_erand48),
      replaced_by("lrand48", rank_lrand48),     replaced_by("nrand48", rank_nrand48),
      replaced_by("mrand48", rank_mrand48),     replaced_by("jrand48", rank_jrand48),
      replaced_by("srand48", rank_srand48),     replaced_by("seed48", rank_seed48),
      replaced_by("lcong48", rank_lcong48),
  };
  return table;
}

}  // namespace pure::core
