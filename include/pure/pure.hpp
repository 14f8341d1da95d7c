// pure/pure.hpp: the whole typed interface (C++20).
#pragma once

#include <pure/detail/needs_cxx20.hpp>

#include <pure/aggregation.hpp>
#include <pure/buffer.hpp>
#include <pure/call_site.hpp>
#include <pure/comm.hpp>
#include <pure/environment.hpp>
#include <pure/error.hpp>
#include <pure/mpi_lock.hpp>
#include <pure/parallel.hpp>
#include <pure/parallel_reduce.hpp>
#include <pure/persistent_request.hpp>
#include <pure/request.hpp>
#include <pure/run.hpp>
#include <pure/status.hpp>
#include <pure/version.hpp>
#include <pure/window.hpp>
