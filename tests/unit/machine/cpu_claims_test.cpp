// Claims of cpus, each by an object of its own: for the kernel these are two jobs, whatever processes they are in.
#include "machine/cpu_claims.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <pure/error.hpp>

namespace {

using namespace pure::core;

using cpus = std::vector<int>;

class CpuClaims : public testing::Test {
 protected:
  CpuClaims() { EXPECT_NE(mkdtemp(folder_), nullptr); }
  ~CpuClaims() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return std::string(folder_) + "/claims"; }
  [[nodiscard]] cpu_claims job() const { return cpu_claims(path().c_str()); }

 private:
  char folder_[32] = "/tmp/pure-claims-XXXXXX";
};

/// The cpus of the ranks' own threads; empty: they are bound to none.
cpus places(cpu_claims& claims, const topology& machine, int ranks, const mapping_wish& wish = {"core"}) {
  const free_part found = claim_free_cpus(claims, machine, ranks, wish);
  if (!found.is_enough) return {};
  cpus chosen;
  for (const rank_place& each : map_ranks(found.rest ? *found.rest : machine, ranks, wish))
    chosen.insert(chosen.end(), each.cpus.begin(), each.cpus.end());
  return chosen;
}

const cpus four{0, 1, 2, 3};

TEST_F(CpuClaims, OthersSeeThemUntilTheyEnd) {
  const cpu_claims looks = job();
  {
    cpu_claims has = job();
    EXPECT_TRUE(has.claim(cpus{1, 3}));
    EXPECT_EQ(looks.taken(four), (cpus{1, 3}));
    EXPECT_EQ(looks.taken(four), (cpus{1, 3})) << "a question changes nothing";
    EXPECT_EQ(has.taken(four), cpus()) << "its own are not another's";
    has.release(cpus{1});
    EXPECT_EQ(looks.taken(four), (cpus{3}));
  }
  EXPECT_EQ(looks.taken(four), cpus());
}

TEST_F(CpuClaims, OneHasEach) {
  cpu_claims first = job(), second = job();
  EXPECT_TRUE(first.claim(cpus{0}));
  EXPECT_FALSE(second.claim(cpus{0, 1}));
  EXPECT_EQ(first.taken(four), (cpus{1})) << "the second has what it could have";
}

TEST_F(CpuClaims, EndWithTheProcess) {
  const cpu_claims looks = job();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    cpu_claims has = job();
    const bool has_both = has.claim(cpus{0, 2});
    if (write(ready[1], "", 1) != 1 || !has_both) _exit(1);
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(looks.taken(four), (cpus{0, 2}));
  ASSERT_EQ(kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(looks.taken(four), cpus());
  close(ready[0]);
  close(ready[1]);
}

TEST_F(CpuClaims, EveryUserMayLock) {
  const mode_t before = umask(077);
  const cpu_claims made = job();
  umask(before);
  struct stat its {};
  ASSERT_EQ(stat(path().c_str(), &its), 0);
  EXPECT_EQ(its.st_mode & 0777U, 0666U);
  EXPECT_EQ(its.st_size, 0);
}

TEST_F(CpuClaims, WithoutAFileEveryJobIsAlone) {
  const topology machine = topology::imagined("core:4 pu:1");
  std::filesystem::create_directory(path());  // no file: a folder, a link, or nothing to make it in
  cpu_claims first = job(), second = job();
  EXPECT_FALSE(first.claim(cpus{0}));
  EXPECT_EQ(second.taken(four), cpus());
  EXPECT_EQ(places(first, machine, 2), (cpus{0, 2}));
  EXPECT_EQ(places(second, machine, 2), (cpus{0, 2}));
  std::filesystem::remove(path());
  const std::string target = path() + "-of-somebody";
  std::ofstream(target) << "text";
  std::filesystem::create_symlink(target, path());
  cpu_claims by_link = job();
  EXPECT_FALSE(by_link.claim(cpus{0})) << "a link might lead anywhere";
  cpu_claims nowhere("/no/such/folder");
  EXPECT_FALSE(nowhere.claim(cpus{0}));
}

TEST_F(CpuClaims, JobsTakeWhatOthersHaveNot) {
  const topology machine = topology::imagined("core:4 pu:1");
  cpu_claims first = job(), second = job(), third = job(), fourth = job();
  EXPECT_EQ(places(first, machine, 1), (cpus{0}));
  EXPECT_EQ(places(second, machine, 2), (cpus{1, 2}));
  EXPECT_EQ(places(third, machine, 2), cpus()) << "one is left";
  EXPECT_EQ(places(fourth, machine, 1), (cpus{3})) << "and still is after that";
}

TEST_F(CpuClaims, ShareWithoutWhatOthersHave) {
  const topology machine = topology::imagined("core:4 pu:1");
  cpu_claims first = job(), second = job();
  EXPECT_EQ(places(first, machine, 1), (cpus{0}));
  const free_part found = claim_free_cpus(second, machine, 1, {"core"});
  ASSERT_TRUE(found.rest.has_value());
  EXPECT_EQ(map_ranks(*found.rest, 1, {"core"})[0].share, (cpus{1, 2, 3}));
}

TEST_F(CpuClaims, FreeCoresBeforeFreeHardwareThreads) {
  const topology machine = topology::imagined("core:2 pu:2");  // core 0: cpus 0 and 1
  cpu_claims first = job(), second = job(), third = job(), fourth = job();
  EXPECT_EQ(places(first, machine, 1), (cpus{0}));
  EXPECT_EQ(places(second, machine, 1), (cpus{2}));
  EXPECT_EQ(places(third, machine, 2), (cpus{1, 3}));
  EXPECT_EQ(places(fourth, machine, 1), cpus());
}

TEST_F(CpuClaims, MoreRanksThanCpusNeedThemAll) {
  const topology machine = topology::imagined("core:2 pu:1");
  cpu_claims first = job(), second = job();
  EXPECT_EQ(places(first, machine, 5), (cpus{0, 1, 0, 1, 0})) << "alone it has the machine, as ever";
  EXPECT_EQ(places(second, machine, 5), cpus());
}

TEST_F(CpuClaims, WholeSharesWhereTheyAreAskedFor) {
  const topology machine = topology::imagined("core:5 pu:1");
  cpu_claims first = job(), second = job(), third = job();
  EXPECT_EQ(places(first, machine, 2, {"core", 2}), (cpus{0, 2}));
  EXPECT_EQ(places(second, machine, 1, {"core", 2}), cpus());
  EXPECT_EQ(places(third, machine, 1), (cpus{4}));
  cpu_claims too_many = job();
  EXPECT_THROW(places(too_many, machine, 3, {"core", 2}), pure::Error) << "not even alone";
}

TEST_F(CpuClaims, NoneIsBoundAndSoClaimsNothing) {
  const topology machine = topology::imagined("core:2 pu:1");
  cpu_claims first = job(), second = job();
  EXPECT_EQ(places(first, machine, 2, {"none"}), cpus());
  EXPECT_EQ(places(second, machine, 2), (cpus{0, 1}));
}

// Somebody who has been stopped between looking and claiming keeps nobody from starting.
TEST_F(CpuClaims, ATurnIsNotWaitedForForEver) {
  const topology machine = topology::imagined("core:2 pu:1");
  cpu_claims stopped = job(), other = job(), next = job();
  EXPECT_TRUE(stopped.claim(cpus{1 << 20}));  // the byte of the turn
  EXPECT_EQ(places(other, machine, 1), (cpus{0}));
  stopped.release(cpus{1 << 20});
  EXPECT_EQ(places(next, machine, 1), (cpus{1}));
}

}  // namespace
