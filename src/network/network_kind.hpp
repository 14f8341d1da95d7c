// The networks that there may be, by name, and which of them a job gets. Two sorts:
//
//   a plug-in          a library that is loaded when it is needed (network_plugin.hpp)
//   built_in_network   a function of a room above, which registers it: a static object, made before main
//
// So this room has no list of the rooms that implement network.hpp. By the thread that starts the job.
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
  /// Throws std::logic_error if there is one of that name: before main, that ends the program.
  built_in_network(std::string_view name, std::string_view name_for_people);
  ~built_in_network() override;

  [[nodiscard]] bool is_there(const settings& /*values*/) const override { return true; }
  [[nodiscard]] std::string remedy() const override { return {}; }

 private:
  friend std::vector<const network_kind*> known_networks();

  built_in_network* next_;
};

/// Plug-ins, then those that are built in.
std::vector<const network_kind*> known_networks();

/// Those of them that are there.
std::vector<const network_kind*> networks_there(const settings& values);

/// The network to open, of those that are there: PURE_NETWORK, or what suits the launcher. Throws pure::Error (state)
/// that names the launcher, what there is, and what to install or to start instead.
const network_kind& choose_network(const settings& values, const process_launch& launched,
                                   const std::vector<const network_kind*>& there);

/// Throws pure::Error (state) if the processes that were started are not those that were asked for (PURE_PROCESSES).
void check_launch(const settings& values, const process_launch& launched);

/// Chooses and opens. Blocks until all processes of the job have done so. Once in a process, on the thread that will
/// finalize it. `opening`: failed and context are the caller's, and what it wants to be other than usual; the number of
/// processes and the settings are filled in here. Throws pure::Error (state).
std::unique_ptr<network> open_network(const settings& values, const process_launch& launched, network_opening opening);

}  // namespace pure::core
