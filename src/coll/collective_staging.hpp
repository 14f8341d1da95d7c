// What a layer above does around a collective whose data does not lie as the collective takes it: before each run it
// packs what is sent, after it it unpacks what came. Own thread of the rank only.
#pragma once

namespace pure::core {

class collective_staging {
 public:
  collective_staging() = default;
  collective_staging(const collective_staging&) = delete;  // the arguments of the collective point into it
  collective_staging& operator=(const collective_staging&) = delete;
  virtual ~collective_staging() = default;

  /// The collective is about to start.
  virtual void before() noexcept = 0;
  /// All that it brings is there. Not called for one that has failed.
  virtual void after() noexcept = 0;
};

}  // namespace pure::core
