#!/usr/bin/env bash
# Programs of mpi.h and of Pure's own interfaces at once: C++ (mixed.cpp), a plug-in of C++ in a program of C, and a module of
# C++ beside Python's MPI. One core below all: the ranks are the same.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${PURETEST_BUILD_DIR:?the build directory}
cd "$work" || exit 1
[[ -e $build/lib/libpure.so ]] || skip 'libpure is a static library here'

is_right() { # is_right PRIVATE HOW...: and `shared` is how many chunks others did
  local private=$1
  shift
  purerun_ends 0 "$@" right "$private"
  [[ $(head -n 1 out) == right ]] || fail "$*: $(< out)"
  shared=$(sed -n 's/^shared //p' out)
}
needs() { # needs FILE: the libraries of Pure that it names
  readelf -d "$1" | grep -oE 'lib(pure|mpi_abi)\.so' | sort | tr '\n' ' '
}

echo 'in C++'
purecxx -O1 -Wall -Wextra -Wpedantic -Werror "$here/mixed.cpp" "$here/mixed_pure_h.cpp" -o mixed || fail 'purecxx'
[[ $(needs mixed) == 'libmpi_abi.so libpure.so ' ]] || fail "mixed needs $(needs mixed)"
purecxx -c -O1 "$here/mixed_pure_h.cpp" "$here/mixed.cpp" && purecxx mixed.o mixed_pure_h.o -o parts || fail 'purecxx, in parts'
[[ $(needs parts) == 'libmpi_abi.so libpure.so ' ]] || fail "parts needs $(needs parts)"
./mixed right 1 > out || fail "alone: $(< out)"
if [[ $(uname -m) == x86_64 ]]; then
  is_right 1 -n 2 --ranks-as threads ./mixed
  ((shared > 0 || $(nproc) < 2)) || fail 'nobody has helped in the loop of rank 0'
  is_right 1 -n 3 --ranks-as threads ./parts
  is_right 1 -n 4 -N 2 ./mixed
else
  not_tested 'globals of their own' 'nothing loads programs on this processor'
fi
is_right 0 -n 3 --ranks-as threads --globals shared ./mixed
is_right 1 -n 3 --ranks-as processes ./mixed
((shared == 0)) || fail 'a rank of another process has helped'
for way in threads processes; do
  purerun_ends 134 -n 2 --ranks-as $way ./mixed error # as any exception that leaves main
  [[ $(< err) == *'destination rank 2 is out of range'*mixed.cpp:* && $(< err) == *SIGABRT* ]] || fail "an error that nobody catches, as $way: $(< err)"
done

echo 'pure::run, without MPI_Init'
cat > runs.cpp << 'END'
#include <mpi.h>
#include <pure/pure.hpp>
#include <cstdio>
#include <exception>
#include <string>
int main() {
  int wrong = 0;
  for (const bool waits : {false, true}) {
    std::string text = "nothing";
    bool has_returned = false;
    try {
      pure::run(2, [&](pure::comm world) {
        int value = 0;
        if (waits && world.rank() == 1) {
          MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
          MPI_Send(&value, 1, MPI_INT, 9, 0, MPI_COMM_WORLD); // fatal
        }
        has_returned = true;
      });
    } catch (const pure::Error& error) {
      text = error.what();
    }
    if (text.find("destination rank 9") == std::string::npos || has_returned || std::uncaught_exceptions() != 0)
      wrong += std::printf("%s, returned: %d\n", text.c_str(), has_returned);
  }
  return wrong != 0;
}
END
purecxx runs.cpp -o runs || fail 'runs.cpp'
./runs > out 2>&1 || fail "an error that is fatal inside pure::run: $(< out)"

echo 'a program of pure.h alone, as ever'
cat > alone.cpp << 'END'
#include <pure.h>
int main() { return pure_size() == 3 ? 0 : 1; }
END
purecxx alone.cpp -o alone || fail 'alone.cpp'
[[ $(needs alone) == 'libpure.so ' ]] || fail "alone needs $(needs alone)"
purerun_ends 0 -n 3 ./alone

echo 'a plug-in'
cat > plug_in.cpp << 'END'
#include <mpi.h>
#include <pure/pure.hpp>
#include <vector>
extern "C" double work(MPI_Comm comm, int count) {
  const pure::comm all(comm);
  std::vector<double> parts(static_cast<std::size_t>(count));
  pure::parallel_for(parts, [&](double& each) { each = all.rank() + 1; });
  const double own = pure::parallel_reduce(parts, 0.0, [](double each) { return each; }, std::plus{});
  try {
    all.send(1, all.size());
    return -1;
  } catch (const pure::Error&) {
    return all.all_reduce(own, std::plus{});
  }
}
END
purecxx -O1 -fPIC -shared plug_in.cpp -o plug_in.so || fail 'plug_in.so'
cat > host.c << 'END'
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* const library = dlopen("./plug_in.so", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return puts(dlerror()), 1;
  double (*work)(MPI_Comm, int) = (double (*)(MPI_Comm, int))dlsym(library, "work");
  const double sum = work(MPI_COMM_WORLD, 1000);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Finalize();
  return sum == 1000.0 * size * (size + 1) / 2 ? 0 : (printf("%g\n", sum), 1);
}
END
purecc host.c -o host -ldl || fail 'host.c'
./host > out || fail "the plug-in, alone: $(< out)"
for way in threads processes; do
  [[ $way == processes || $(uname -m) == x86_64 ]] || continue
  purerun_ends 0 -n 3 --ranks-as $way ./host
done

echo 'a module beside Python'
cat > module.py << 'END'
import ctypes
import sys
world = ctypes.c_void_p(0x101)
try:
    from mpi4py import MPI
    size = MPI.COMM_WORLD.size
    # One that was built for another MPI has handles of that one: the plug-in has the standard ABI's all the same.
    if MPI._sizeof(MPI.COMM_WORLD) == 8 and ctypes.c_void_p.from_address(MPI._addressof(MPI.COMM_WORLD)).value == world.value:
        kind = "mpi4py"
    else:
        kind = "mpi4py of another MPI"
except ImportError:
    MPI, kind = None, "ctypes"
    mpi = ctypes.CDLL("libmpi_abi.so.1")
    mpi.MPI_Init(None, None)
    number = ctypes.c_int()
    mpi.MPI_Comm_size(world, ctypes.byref(number))
    size = number.value
work = ctypes.CDLL("./plug_in.so").work
work.restype, work.argtypes = ctypes.c_double, [ctypes.c_void_p, ctypes.c_int]
total = work(world, 1000)
if MPI is None:
    mpi.MPI_Finalize()
print("beside", kind)
sys.exit(0 if total == 1000 * size * (size + 1) / 2 else f"{total}")
END
purerun_ends 0 -n 3 --ranks-as processes python3 module.py
head -n 1 out
finish
