// Which network a job gets: by its name, by the launcher, or because it is there. Built-in ones are those of the tests,
// an end of a loopback network each.
#include "network/network_kind.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "network/network_plugin.hpp"
#include "network/open_network.hpp"
#include "support/loopback_network.hpp"

namespace {

using namespace pure::core;

/// An end that somebody else owns.
class borrowed_network final : public network {
 public:
  explicit borrowed_network(network& of) : of_(of) { peers_ = of.peers(); }
  bool send_message(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    return of_.send_message(sending, process, tag, data, bytes);
  }
  bool send(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    return of_.send(sending, process, tag, data, bytes);
  }
  bool send_short(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    return of_.send_short(sending, process, tag, data, bytes);
  }
  bool receive(network_operation& receiving, int process, int tag, void* data, std::size_t bytes) override {
    return of_.receive(receiving, process, tag, data, bytes);
  }
  bool cancel(network_operation& receiving) override { return of_.cancel(receiving); }
  bool poll(network_events& events) override { return of_.poll(events); }
  [[noreturn]] void abort(int /*status*/) noexcept override { std::abort(); }
  void finalize(int status) override { of_.finalize(status); }

 private:
  network& of_;
};

/// Connects those whom `connects` has started, and whoever is started by a launcher that names it.
class loopback_kind final : public built_in_network {
 public:
  explicit loopback_kind(std::string_view name, std::string_view connects = "somebody new")
      : built_in_network(name, name), connects_(connects) {}
  [[nodiscard]] bool can_connect(const process_launch& launched) const override {
    return launched.launcher_name() == connects_;
  }
  [[nodiscard]] std::unique_ptr<network> open(const settings& /*values*/, const process_launch& launched,
                                              network_opening& opening) const override {
    asked_ = opening;
    if (fails) {
      std::snprintf(opening.error.data(), opening.error.size(), "there is no room");
      return nullptr;
    }
    return std::make_unique<borrowed_network>(world_->end(launched.process));
  }

  bool fails = false;
  [[nodiscard]] const network_opening& asked() const { return asked_; }

 private:
  const std::string_view connects_;
  const std::unique_ptr<test_support::loopback_world> world_ = std::make_unique<test_support::loopback_world>(2);
  mutable network_opening asked_;
};

launcher somebody_new(std::string_view network) {
  launcher made;
  made.name = "somebody new";
  made.network = network;
  return made;
}

process_launch second_of_two(const launcher& by) {
  process_launch launched;
  launched.by = &by;
  launched.process = 1;
  launched.processes = launched.processes_on_host = 2;
  return launched;
}

/// Where no plug-in is.
settings with_network(std::string name) {
  settings values;
  values.network = std::move(name);
  values.plugin_dir = "/nowhere";
  return values;
}

const network_kind& chosen(const std::string& name, const launcher& by) {
  const settings values = with_network(name);
  return choose_network(values, second_of_two(by), networks_there(values));
}

std::string refusal(const std::string& name, const launcher& by) {
  try {
    static_cast<void>(chosen(name, by));
  } catch (const pure::Error& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(network_kinds, a_built_in_one_is_there_as_long_as_it_lives) {
  // Shared memory always is (start/processes.cpp).
  ASSERT_EQ(networks_there(with_network("auto")).size(), 1U);
  {
    const loopback_kind first("loopback_b"), second("loopback_a");
    const auto there = networks_there(with_network("auto"));
    ASSERT_EQ(there.size(), 3U);
    EXPECT_EQ(there[0], &second) << "the order is that of names";
    EXPECT_EQ(there[1], &first);
    EXPECT_EQ(known_networks().size(), plugin_networks().size() + 3);
  }
  EXPECT_EQ(networks_there(with_network("auto")).size(), 1U);
}

TEST(network_kinds, two_of_one_name_are_refused) {
  const loopback_kind first("loopback");
  EXPECT_THROW(loopback_kind("loopback"), std::logic_error);
  EXPECT_EQ(networks_there(with_network("auto")).size(), 2U);
  const loopback_kind as_a_plugin("mpich");
  EXPECT_THROW(known_networks(), std::logic_error);
}

TEST(network_kinds, one_is_had_by_its_name) {
  const loopback_kind other("a_loopback"), kind("loopback", "nobody");
  EXPECT_EQ(&chosen("loopback", somebody_new("")), &kind);
}

TEST(network_kinds, or_by_the_launcher_that_names_it) {
  const loopback_kind other("a_loopback"), kind("loopback", "nobody");
  EXPECT_EQ(&chosen("auto", somebody_new("loopback")), &kind);
  const std::string text = refusal("a_loopback", somebody_new("loopback"));
  EXPECT_TRUE(has(text, "PURE_NETWORK=a_loopback asks for a_loopback")) << text;
}

TEST(network_kinds, or_because_it_is_there_and_can) {
  const loopback_kind cannot("a_loopback", "nobody"), kind("loopback"), later("z_loopback");
  launcher by = somebody_new("");
  EXPECT_EQ(&chosen("auto", by), &kind);
  by.prefers = "z_loopback";
  EXPECT_EQ(&chosen("auto", by), &later);
  by.prefers = "a_loopback";
  EXPECT_EQ(&chosen("auto", by), &kind) << "what cannot is not preferred";
}

TEST(network_kinds, where_nothing_suits_the_error_names_what_there_is) {
  std::string text = refusal("auto", somebody_new(""));
  EXPECT_TRUE(has(text, "Pure has been built for no MPI: install Open MPI")) << text;
  const loopback_kind kind("loopback", "nobody");
  text = refusal("auto", somebody_new(""));
  EXPECT_TRUE(has(text, "somebody new has started 2 processes, but Pure has been built for no MPI: install")) << text;
  text = refusal("auto", somebody_new("mpich"));
  EXPECT_TRUE(has(text, "Pure has been built for no MPI: start with `purerun --mpi none`") &&
              has(text, "install MPICH"))
      << text;
  text = refusal("auto", somebody_new("unheard"));
  EXPECT_TRUE(has(text, "there is no network of the name unheard")) << text;
  text = refusal("openmpi", somebody_new(""));
  EXPECT_TRUE(has(text, "PURE_NETWORK=openmpi: Pure has been built for no MPI; install Open MPI")) << text;
}

TEST(network_kinds, a_launch_that_lacks_something_is_refused_first) {
  const loopback_kind kind("loopback");
  launcher by = somebody_new("");
  by.lacks = "without a common language: speak slowly.";
  EXPECT_EQ(refusal("loopback", by),
            "somebody new has started 2 processes, but without a common language: speak slowly.");
}

TEST(network_kinds, who_opens_one_says_what_the_job_is_and_is_told_what_went_wrong) {
  loopback_kind kind("loopback");
  const launcher by = somebody_new("loopback");
  settings values = with_network("auto");
  values.net_message_bytes = 4096;
  const std::unique_ptr<network> opened = open_network(values, second_of_two(by), {});
  EXPECT_EQ(opened->peers().process, 1);
  EXPECT_EQ(kind.asked().expected_processes, 2);
  EXPECT_TRUE(kind.asked().is_on_one_host);
  EXPECT_EQ(kind.asked().message_bytes, 4096U);
  kind.fails = true;
  try {
    open_network(values, second_of_two(by), {});
    FAIL() << "opened";
  } catch (const pure::Error& error) {
    EXPECT_STREQ(error.what(),
                 "loopback cannot connect the processes that somebody new has started: there is no room.");
  }
}

TEST(network_kinds, plug_ins_are_where_their_file_is) {
  EXPECT_TRUE(networks_found({"/nowhere"}).empty());
  std::vector<std::string> names;
  for (const network_kind* const each : plugin_networks()) names.emplace_back(each->name());
  EXPECT_EQ(names, (std::vector<std::string>{"mpich", "openmpi"}));
}

}  // namespace
