#include "net_shm/open.hpp"

#include <utility>

#include "net_shm/job_segment.hpp"
#include "net_shm/shm_network.hpp"
#include "net_shm/successive_jobs.hpp"

namespace pure::net_shm {

std::unique_ptr<core::network> shared_memory_kind::open(const core::settings& values,
                                                        const core::process_launch& launched,
                                                        core::network_opening& opening) const {
  auto segment = std::make_shared<opened_segment>(values.segment.c_str(), launched.processes);
  begin_job(*segment, launched.process);
  auto made = std::make_unique<shm_network>(opening, std::move(segment), launched.process, cell_manner::of(values));
  made->come();
  made->meet_others();
  return made;
}

}  // namespace pure::net_shm
