// The version of Pure that this header belongs to. The build takes it from here.
#pragma once

#define PURE_VERSION_MAJOR 0
#define PURE_VERSION_MINOR 1
#define PURE_VERSION_PATCH 0
#define PURE_VERSION "0.1.0"
