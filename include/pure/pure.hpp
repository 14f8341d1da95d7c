// pure/pure.hpp: the whole typed interface (C++20).
#pragma once

#if __cplusplus < 202002L
#error "pure/pure.hpp needs C++20 (g++ -std=c++20); pure.h is the C++17 interface"
#endif

#include <pure/aggregation.hpp>
#include <pure/buffer.hpp>
#include <pure/call_site.hpp>
#include <pure/comm.hpp>
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
