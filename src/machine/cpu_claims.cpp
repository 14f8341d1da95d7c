#include "machine/cpu_claims.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/clock.hpp"
#include "base/text.hpp"

namespace pure::core {
namespace {

/// Behind every cpu that Linux can have: whoever has it looks and claims.
constexpr long turn_byte = 1L << 20;
constexpr std::int64_t longest_wait_ns = 200'000'000;

struct flock lock_of(long byte, short type) noexcept {
  struct flock wanted {};
  wanted.l_type = type;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = byte;
  wanted.l_len = 1;
  return wanted;
}

/// All users' jobs share the file: whoever makes it lets all others lock, and nobody writes. It is opened before it is
/// made, for the kernel lets nobody open another's file "or make it" in a directory such as /dev/shm
/// (fs.protected_regular).
owned_descriptor open_file(const char* path) noexcept {
  constexpr int usual = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  constexpr mode_t for_all = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  for (int tries = 0; tries < 3; ++tries) {
    owned_descriptor found(open(path, usual));
    struct stat its {};
    if (found.is_open())
      return fstat(found.number(), &its) == 0 && S_ISREG(its.st_mode) ? std::move(found) : owned_descriptor();
    if (errno != ENOENT) break;
    owned_descriptor made(open(path, usual | O_CREAT | O_EXCL, for_all));
    if (made.is_open()) {
      static_cast<void>(fchmod(made.number(), for_all));  // whatever umask says
      return made;
    }
    if (errno != EEXIST) break;  // else another job has made it meanwhile
  }
  return {};
}

std::vector<int> without(std::span<const int> all, std::span<const int> some) {
  std::vector<int> rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(rest));
  return rest;
}

/// The cpus whose cores have none of `taken`.
std::vector<int> of_free_cores(const topology& machine, std::span<const int> taken) {
  std::set<int> busy;
  for (const int cpu : taken) busy.insert(machine.find(cpu)->core);
  std::vector<int> cpus;
  for (const int cpu : machine.allowed_cpus()) {
    if (!busy.contains(machine.find(cpu)->core)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> cpus_to_claim(std::span<const rank_place> places) {
  std::set<int> cpus;
  for (const rank_place& each : places) {
    const std::vector<int>& its = each.keeps_share ? each.share : each.cpus;
    cpus.insert(its.begin(), its.end());
  }
  return {cpus.begin(), cpus.end()};
}

}  // namespace

cpu_claims::cpu_claims(const char* path) : file_(open_file(path)) {}

bool cpu_claims::lock(long byte) const noexcept {
  const int file = file_.number();
  struct flock wanted = lock_of(byte, F_WRLCK);
  return file >= 0 && fcntl(file, F_OFD_SETLK, &wanted) == 0;
}

void cpu_claims::unlock(long byte) const noexcept {
  struct flock wanted = lock_of(byte, F_UNLCK);
  if (const int file = file_.number(); file >= 0) fcntl(file, F_OFD_SETLK, &wanted);
}

std::vector<int> cpu_claims::taken(std::span<const int> among) const {
  std::vector<int> found;
  const int file = file_.number();
  if (file < 0) return found;
  for (const int cpu : among) {
    struct flock wanted = lock_of(cpu, F_WRLCK);
    if (fcntl(file, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK) found.push_back(cpu);
  }
  return found;
}

bool cpu_claims::claim(std::span<const int> cpus) {
  bool has_all = true;
  for (const int cpu : cpus) has_all = lock(cpu) && has_all;
  return has_all;
}

void cpu_claims::release(std::span<const int> cpus) {
  for (const int cpu : cpus) unlock(cpu);
}

/// While this lives nobody else looks for cpus, if it has come to that.
class turn_to_choose {
 public:
  explicit turn_to_choose(const cpu_claims& claims) : claims_(claims) {
    const std::int64_t until = now_ns() + longest_wait_ns;
    while (!(has_turn_ = claims_.lock(turn_byte)) && claims_.file_.number() >= 0 && now_ns() < until) usleep(200);
  }
  turn_to_choose(const turn_to_choose&) = delete;
  turn_to_choose& operator=(const turn_to_choose&) = delete;
  ~turn_to_choose() {
    if (has_turn_) claims_.unlock(turn_byte);
  }

 private:
  const cpu_claims& claims_;
  bool has_turn_ = false;
};

free_part claim_free_cpus(cpu_claims& claims, const topology& machine, int ranks, const mapping_wish& wish) {
  if (wish.map_by == "none") return {};
  if (!map_by_path(wish.map_by).empty()) {
    static_cast<void>(claims.claim(cpus_to_claim(map_ranks(machine, ranks, wish))));
    return {};
  }
  const std::vector<int> whole = cpus_to_claim(map_ranks(machine, ranks, wish));
  const turn_to_choose turn(claims);
  const std::vector<int> taken = claims.taken(machine.allowed_cpus());
  if (taken.empty()) {
    static_cast<void>(claims.claim(whole));
    return {};
  }
  for (const std::vector<int>& some : {of_free_cores(machine, taken), without(machine.allowed_cpus(), taken)}) {
    if (some.size() < whole.size()) continue;
    topology rest = machine.restricted_to(some);
    try {
      const std::vector<int> chosen = cpus_to_claim(map_ranks(rest, ranks, wish));
      if (chosen.size() != whole.size()) continue;
      if (claims.claim(chosen)) return {.rest = std::move(rest), .is_enough = true};
      claims.release(chosen);  // somebody has claimed them without a turn
    } catch (const Error&) {   // no room for so many cpus for each, there
    }
  }
  return {.rest = {}, .is_enough = false};
}

std::string text_of_no_free_cpus(const cpu_claims& claims, const topology& machine) {
  const std::vector<int> taken = claims.taken(machine.allowed_cpus());
  return fmt::format("other jobs of Pure have cpus {} of {}, and too few are left: ranks are bound to none",
                     cpu_list_text(taken), cpu_list_text(machine.allowed_cpus()));
}

}  // namespace pure::core
