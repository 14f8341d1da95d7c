// How the runner reaches collectives: one call of a rank, and what carries it out.
#pragma once

#include <pure.h>

#include "support/collective_oracle/images.hpp"

namespace collective_oracle {

struct call {
  const operation& what;
  const part& arguments;
  const void* send;
  void* recv;
  pure_comm comm;
  int rank, size;  // in comm
};

class door {
 public:
  door() = default;
  virtual ~door() = default;
  door(const door&) = delete;
  door& operator=(const door&) = delete;

  virtual void run(const call& c) = 0;
  virtual pure_request start(const call& c) = 0;
  virtual pure_request init(const call& c) = 0;
  virtual void restart(pure_request& request, const call& c) = 0;
  virtual void release(pure_request& request) = 0;
};

}  // namespace collective_oracle
