// A network that there may be, by its name. Two sorts:
//
//   a plug-in          a library that is loaded when it is needed (network_plugin.hpp)
//   built_in_network   a function of a room above, which registers it: a static object, made before main
//
// So this room has no list of the rooms that implement network.hpp. Which one a job gets: open_network.hpp. By the
// thread that starts the job.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "network/network.hpp"
#include "network/process_launcher.hpp"

namespace pure::core {

class network_kind {
 public:
  network_kind(const network_kind&) = delete;
  network_kind& operator=(const network_kind&) = delete;

  /// As PURE_NETWORK and the launchers' rows have it.
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] std::string_view name_for_people() const noexcept { return name_for_people_; }

  /// Whether it can be opened in this installation.
  [[nodiscard]] virtual bool is_there(const settings& values) const = 0;
  /// Whether it can connect processes that were started so, where the launcher names no network.
  [[nodiscard]] virtual bool can_connect(const process_launch& launched) const = 0;
  /// What to do where it is not there: "install ...".
  [[nodiscard]] virtual std::string remedy() const = 0;
  /// As open_network(), whose `opening` is complete. Null: `opening.error` says why.
  [[nodiscard]] virtual std::unique_ptr<network> open(const settings& values, const process_launch& launched,
                                                      network_opening& opening) const = 0;

 protected:
  constexpr network_kind(std::string_view name, std::string_view name_for_people) noexcept
      : name_(name), name_for_people_(name_for_people) {}
  virtual ~network_kind() = default;

 private:
  const std::string_view name_, name_for_people_;
};

/// While it lives, there is a network of that name.
class built_in_network : public network_kind {
 public:
  /// Throws std::logic_error if another one has that name: before main, that ends the program.
  built_in_network(std::string_view name, std::string_view name_for_people);
  ~built_in_network() override;

  [[nodiscard]] bool is_there(const settings& /*values*/) const override { return true; }
  [[nodiscard]] std::string remedy() const override { return {}; }

 private:
  friend std::vector<const network_kind*> built_in_networks();

  built_in_network* next_;
};

/// In the order of their names.
std::vector<const network_kind*> built_in_networks();

}  // namespace pure::core
