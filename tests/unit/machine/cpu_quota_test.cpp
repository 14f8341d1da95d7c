// The cgroup quota, from imitations of /proc and /sys/fs/cgroup as machines and containers show them.
#include "machine/cpu_quota.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using pure::core::cpu_quota;

class CpuQuota : public testing::Test {
 protected:
  CpuQuota() {
    std::string name = (fs::temp_directory_path() / "cpu_quota_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~CpuQuota() override { fs::remove_all(root_); }

  void file(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void version_2(const std::string& group, const std::string& mounted_part = "/") {
    file("proc/self/cgroup", "0::" + group + "\n");
    file("proc/self/mountinfo",
         "22 1 0:21 / / rw - ext4 /dev/vda rw\n"
         "30 22 0:26 " +
             mounted_part + " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void version_1(const std::string& group, const std::string& mounted_part = "/") {
    file("proc/self/cgroup",
         "5:memory:/elsewhere\n4:cpu,cpuacct:" + group + "\n3:cpuset:/other\n1:name=systemd:/\n0::/\n");
    file("proc/self/mountinfo",
         "31 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
         "32 22 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
         "33 22 0:29 " +
             mounted_part + " /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n");
  }
  void quota_1(const std::string& group, const std::string& quota, const std::string& period = "100000") {
    file("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota + "\n");
    file("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", period + "\n");
  }

  fs::path root_;
};

TEST_F(CpuQuota, NothingThereIsNoLimit) { EXPECT_FALSE(cpu_quota(root_)); }

TEST_F(CpuQuota, Version2) {
  version_2("/user.slice/session.scope");
  file("sys/fs/cgroup/user.slice/session.scope/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_).value(), 1.5);
}

TEST_F(CpuQuota, NoLimitIsTheWordMax) {
  version_2("/a");
  file("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_FALSE(cpu_quota(root_));
}

TEST_F(CpuQuota, TheSmallestOnTheWayUpCounts) {
  version_2("/a/b/c");
  file("sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  file("sys/fs/cgroup/a/b/cpu.max", "50000 50000\n");
  file("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  file("sys/fs/cgroup/a/b/other/cpu.max", "10000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_).value(), 1.0);
}

TEST_F(CpuQuota, TheRootOfAContainerCounts) {
  version_2("/");  // with a cgroup namespace, as in Docker and Podman
  file("sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_).value(), 3.0);
}

TEST_F(CpuQuota, Version1) {
  version_1("/batch/job7");
  quota_1("", "-1");
  quota_1("/batch", "400000");
  quota_1("/batch/job7", "250000");
  EXPECT_DOUBLE_EQ(cpu_quota(root_).value(), 2.5);
}

TEST_F(CpuQuota, Version1OfAContainerSeesOnlyItsPart) {
  version_1("/docker/abc", "/docker/abc");  // without a cgroup namespace
  quota_1("", "70000");
  EXPECT_DOUBLE_EQ(cpu_quota(root_).value(), 0.7);
}

TEST_F(CpuQuota, AGroupBelowTheMountedPart) {
  version_1("/docker/abc/inner", "/docker/abc");
  quota_1("", "300000");
  quota_1("/inner", "200000");
  EXPECT_DOUBLE_EQ(cpu_quota(root_).value(), 2.0);
}

TEST_F(CpuQuota, AGroupOutsideTheNamespace) {
  version_2("/../sibling");
  file("sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_).value(), 1.0);
}

TEST_F(CpuQuota, HybridSystemsHaveBoth) {
  file("proc/self/cgroup", "4:cpu:/x\n0::/y\n");
  file("proc/self/mountinfo",
       "33 22 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
       "34 22 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  file("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "200000\n");
  file("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  file("sys/fs/cgroup/unified/y/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_).value(), 2.0);
}

TEST_F(CpuQuota, MountPointsMayHaveSpaces) {
  file("proc/self/cgroup", "0::/g\n");
  file("proc/self/mountinfo", "30 22 0:26 / /my\\040groups\\134x rw - cgroup2 none rw\n");
  file("my groups\\x/g/cpu.max", "120000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root_).value(), 1.2);
}

TEST_F(CpuQuota, NonsenseIsNoLimit) {
  version_2("/a");
  for (const char* text : {"", "\n", "x y", "0 100000", "100000 0", "-5 100000", "99999999999999999999 1"}) {
    file("sys/fs/cgroup/a/cpu.max", text);
    EXPECT_FALSE(cpu_quota(root_)) << text;
  }
  file("proc/self/mountinfo", "garbage\n - \n1 2 3 - cgroup2\n");
  file("proc/self/cgroup", "garbage\n::\n:\n");
  EXPECT_FALSE(cpu_quota(root_));
}

}  // namespace
