# For scripts that try an installed copy: what `make install` gives, without documents.

# install_moved: in the folder moved, where it was not installed. `home` is its folder of MPI (MPI_HOME).
install_moved() {
  local component
  for component in runtime development tools; do
    cmake --install "$build" --prefix "$work/first" --component $component > install.log 2>&1 || fail "install: $(cat install.log)"
  done
  mv first moved
  home=$(find "$work/moved" -path '*/pure/mpi' -type d)
  [[ -n $home ]] || fail "there is no lib/pure/mpi in $(find moved -name 'pure*')"
}
