#!/bin/sh
# Runs a compiler through ccache, as CMake's launcher: ccache.sh CCACHE COMPILER ARGUMENT...
#
# Precompiled headers are compiled each time: from the cache they may have headers of another day in them. And they make
# ccache believe that everything else has changed, unless it is told to look closer.
ccache=$1
shift
for word; do
  [ "$word" != c++-header ] || exec "$@"
done
CCACHE_SLOPPINESS=pch_defines,time_macros exec "$ccache" "$@"
