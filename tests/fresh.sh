#!/usr/bin/env bash
# `make fresh`: the README's commands on a machine that has nothing.
#
# Makes a minimal Debian in a folder, clones the committed state of this repository (HEAD) into it, and follows there
# README.md, the quickstart and every other page of docs: as root, and in a second one as a user without sudo, who must be
# told what to install and puts Pure into the home folder. tests/house/doc_pages.py takes commands, programs and outputs from
# the pages themselves. As root only; the packages come from where apt of this machine gets its own. Everything lives in
# namespaces of its own: nothing is mounted or running afterwards.
#
# usage: tests/fresh.sh [--root-only | --user-only | --pages | --debs] [--until TEXT] [--keep] [--dir DIR] [--suite NAME]
#                       [--mirror URL]
#
#   --root-only    only as root
#   --user-only    only as a user, who makes the demo, installs, and follows the pages
#   --pages        only the pages, as root: no demo and no tests before them
#   --debs         only the Debian packages, which `make deb` has built here: installed, used, removed
#   --until TEXT   as root, end after the first command with TEXT in it: --until demo takes some minutes
#   --keep         leave the folder behind
#   --dir DIR      the folder to work in (a new one below /var/tmp; 10 GB)
#   --suite NAME   the Debian (bookworm, which is Debian 12)
#   --mirror URL   where its packages come from, if apt here knows no such Debian
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
self=$top/tests/fresh.sh
suite=bookworm mirror= folder= until= keep= parts=(root user)

say() { printf '\n=== fresh: %s\n' "$*"; }
die() {
  echo "fresh: $*" >&2
  exit 1
}
usage() { sed -n '/^# usage:/,/^set /s/^# \{0,1\}//p' "$self"; }

# ---- inside a root -------------------------------------------------------------------------------------------------

# in_root ROOT COMMAND...: with the file systems that a machine has.
in_root() {
  local root=$1
  shift
  # shellcheck disable=SC2016
  unshare --mount --propagation private bash -euc '
    root=$1
    shift
    mount --bind "$root" "$root" # a program in it makes namespaces of its own, for which / has to be a mount
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs -o mode=755 dev "$root/dev"
    mkdir "$root"/dev/{shm,pts}
    mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
    for device in null zero full random urandom tty; do
      : > "$root/dev/$device"
      mount --bind "/dev/$device" "$root/dev/$device"
    done
    ln -s pts/ptmx "$root/dev/ptmx"
    ln -s /proc/self/fd "$root/dev/fd"
    for number in 0 1 2; do
      ln -s "/proc/self/fd/$number" "$root/dev/$(cut -d" " -f$((number + 1)) <<< "stdin stdout stderr")"
    done
    mount -t tmpfs -o mode=755 run "$root/run"
    keep=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "TERM=${TERM:-dumb}" LANG=C.UTF-8)
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY CI NO_COLOR; do
      [[ -z ${!name:-} ]] || keep+=("$name=${!name}")
    done
    exec env --ignore-environment "${keep[@]}" chroot "$root" "$@"' in_root "$root" "$@"
}

# as_user ROOT NAME SCRIPT: in the clone of that user.
as_user() {
  local home=/home/$2
  [[ $2 != root ]] || home=/root
  in_root "$1" setpriv --reuid "$2" --regid "$2" --init-groups env HOME="$home" USER="$2" \
    bash -c "cd $home/pure && $3"
}

# The script that runs the commands of /commands one after the other in one shell, shows each with the time that it takes,
# and ends after the first one that fails, or that has the text $1 in it.
runner() {
  cat << 'END_OF_RUNNER'
set -uo pipefail
until=${1:-}
whole=
began=$SECONDS
while IFS= read -r line <&3; do
  whole+=$line
  if [[ $whole == *'<< "END_OF_PROGRAM"'* && $line != END_OF_PROGRAM ]]; then
    whole+=$'\n'
    continue
  fi
  command=$whole whole=
  [[ -n ${command// } ]] || continue
  printf '\n=== fresh: $ %s\n' "${command%%$'\n'*}"
  before=$SECONDS
  eval "$command" 3<&-
  status=$?
  echo "=== fresh: $((SECONDS - before)) s"
  if ((status != 0)); then
    echo "fresh: status $status of: $command" >&2
    exit 1
  fi
  [[ -z $until || $command != *"$until"* ]] || break
done 3< /commands
echo "=== fresh: $((SECONDS - began)) s in all"
END_OF_RUNNER
}

# ---- making roots --------------------------------------------------------------------------------------------------

# The files of apt that name this Debian.
sources() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    if [[ -r $file ]] && grep -qE "^[^#]*[[:space:]]$suite(-updates|-security)?([[:space:]/]|\$)" "$file"; then
      echo "$file"
    fi
  done
}

# What apt has been told about the way there: proxies, certificates, clocks.
options_of_apt() {
  apt-config dump 2> /dev/null |
    grep -E '^Acquire::((https?|ftp)::.*|Check-Valid-Until|Check-Date|Retries|ForceIPv[46]) ' | grep -v '""' || true
}

# make_root ROOT
make_root() {
  local root=$1 file from=()
  options_of_apt > "$folder/apt.conf"
  if [[ -n $mirror ]]; then
    from=("$mirror")
  else
    mapfile -t from < <(sources)
  fi
  if command -v mmdebstrap > /dev/null; then
    mmdebstrap --quiet --mode=root --variant=minbase --aptopt="$folder/apt.conf" "$suite" "$root" "${from[@]}"
  else
    debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"}
    if ((${#from[@]})) && [[ -z $mirror ]]; then
      rm -f "$root/etc/apt/sources.list"
      cp "${from[@]}" "$root/etc/apt/sources.list.d/"
    fi
    cp "$folder/apt.conf" "$root/etc/apt/apt.conf.d/99fresh"
  fi
  # Keys and certificates that these name, and how names become addresses.
  while read -r file; do
    if [[ -r $file && ! -e $root$file ]]; then install -D -m 644 "$file" "$root$file"; fi
  done < <(cat "$folder/apt.conf" "${from[@]}" 2> /dev/null | grep -oE '/[A-Za-z0-9_./-]+\.(gpg|asc|pem|crt)' | sort -u)
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
}

# clone_into ROOT HOME
clone_into() {
  git -c safe.directory='*' clone --quiet --no-local "$top" "$1$2/pure"
}

# ---- what is checked -----------------------------------------------------------------------------------------------

doc_pages() { python3 "$top/tests/house/doc_pages.py" "$@"; }

# follow_pages ROOT NAME CLONE: the quickstart, which installs Pure, then README.md and all others, in folders below the
# home of that user; and whether what is printed is what they say.
follow_pages() {
  local root=$1 user=$2 clone=$3 page name failed='' sources others
  # What the pages tell their readers to install.
  in_root "$root" bash -c 'apt-get install -qq --yes --no-install-recommends libcereal-dev libclang-dev llvm-dev clang gfortran > /dev/null'
  mapfile -t others < <(cd "$clone" && find docs -name '*.md' ! -name quickstart.md | sort)
  for page in docs/quickstart.md README.md "${others[@]}"; do
    name=$(basename "$page" .md)
    [[ $page != docs/README.md ]] || name=docs
    say "$user: $page"
    mkdir -p "$root/pages/$name"
    chmod 777 "$root/pages/$name"
    sources=("${clone#"$root"}")
    [[ $page != README.md ]] || sources=() # its commands that build have been run
    doc_pages script "$clone/$page" "/pages/$name" "${sources[@]}" > "$root/pages/$name/script.sh"
    as_user "$root" "$user" "mkdir -p ~/pages/$name && cd ~/pages/$name && PURETEST_SHOW=1 PATH=~/opt/pure/bin:\$PATH \
      bash /pages/$name/script.sh" || failed=1
    doc_pages judge "$clone/$page" "$root/pages/$name" > "$folder/judged" || failed=1
    grep -v ': ok$' "$folder/judged" || true
  done
  [[ -z $failed ]] || die "$user: some pages say what is not so"
}

as_root_everything_works() {
  local root=$folder/root
  local clone=$root/root/pure
  say 'as root: what README.md says'
  cp -a "$folder/debian" "$root"
  clone_into "$root" /root
  doc_pages builds "$clone/README.md" | sed 's/  *#.*//' > "$root/commands"
  grep -q '^make demo' "$root/commands" || die "README.md has no 'make demo' any more: $(cat "$root/commands")"
  runner > "$root/runner"
  as_user "$root" root "bash /runner '$until'"
  [[ -n $until ]] || follow_pages "$root" root "$clone"
}

the_pages_are_right() {
  local root=$folder/pages
  say 'as root: the pages'
  cp -a "$folder/debian" "$root"
  clone_into "$root" /root
  as_user "$root" root 'bash cmake/setup.sh demo'
  follow_pages "$root" root "$root/root/pure"
}

# says_what_to_install ROOT COMMAND: the user's command fails and prints one line to run, which root then runs.
says_what_to_install() {
  local line
  if as_user "$1" user "$2" > "$folder/said" 2>&1; then die "a user's '$2' works, though nothing is installed"; fi
  cat "$folder/said"
  [[ $(grep -c 'apt-get' "$folder/said") == 1 ]] || die "a user's '$2' does not print the one line to run"
  line=$(grep 'apt-get' "$folder/said")
}

a_user_is_told() {
  local root=$folder/user line
  say "as a user without sudo"
  cp -a "$folder/debian" "$root"
  clone_into "$root" /home/user
  in_root "$root" bash -c 'useradd user && chown -R user:user /home/user'
  says_what_to_install "$root" 'bash cmake/setup.sh demo'
  in_root "$root" bash -c 'apt-get update -qq && apt-get install -qq --yes --no-install-recommends make > /dev/null'
  says_what_to_install "$root" 'make demo'
  line=$(grep 'apt-get' "$folder/said")
  say "root runs that line"
  in_root "$root" bash -c "export DEBIAN_FRONTEND=noninteractive; { $line; } > /dev/null"
  say "the user: make demo"
  as_user "$root" user 'make demo'
  follow_pages "$root" user "$root/home/user/pure"
  says_what_to_install "$root" 'make test'
}

# What an apt user gets: the packages with what they recommend, the quickstart's program and an example of pure-doc.
the_packages_work() {
  local root=$folder/debs
  say 'the Debian packages'
  compgen -G "$top/build/deb/packages/*.deb" > /dev/null || die "there are no packages in build/deb/packages: make deb"
  cp -a "$folder/debian" "$root"
  mkdir "$root/packages"
  cp "$top"/build/deb/packages/*.deb "$root/packages"
  awk '/^```cpp$/ { is_code = 1; next } /^```$/ { if (is_code) exit } is_code' "$top/docs/quickstart.md" > "$root/sum.cpp"
  in_root "$root" bash -eux -o pipefail -c '
    cd /root
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -qq --yes /packages/lib*.deb /packages/pure*.deb > /dev/null
    g++ -std=c++20 /sum.cpp -o sum -lpure -pthread
    [[ $(purerun -n 4 ./sum) == 500500 ]]
    g++ -std=c++17 /usr/share/doc/pure/examples/ring_pure_h.cpp -o ring -lpure -pthread
    purerun -n 3 ./ring
    purecxx /usr/share/doc/pure/examples/mpi/hello.cpp -o hello_mpi
    purerun -n 3 ./hello_mpi
    for mpi in mpich openmpi; do purerun -N 2 -n 4 --mpi "$mpi" ./ring; done
    pure info > /dev/null
    apt-get remove -qq --yes libpure-dev > /dev/null
    purerun -n 3 ./ring # programs that are compiled need the library alone
    purerun -n 3 ./hello_mpi
    mapfile -t ours < <(dpkg-query --show --showformat "\${Package}\n" "libpure[0-9]*" "libpure-*" "pure-*")
    apt-get purge -qq --yes "${ours[@]}" > /dev/null
    [[ ! -e /usr/bin/purerun && -z $(find /usr/lib /usr/include /usr/share/doc -name "*pure*") ]]'
}

# ---- main ----------------------------------------------------------------------------------------------------------

arguments=("$@")
while (($#)); do
  case $1 in
    --root-only) parts=(root) ;;
    --user-only) parts=(user) ;;
    --pages) parts=(pages) ;;
    --debs) parts=(debs) ;;
    --keep) keep=1 ;;
    --until | --dir | --suite | --mirror)
      (($# > 1)) || die "$1 takes a value"
      case $1 in --until) until=$2 ;; --dir) folder=$2 ;; --suite) suite=$2 ;; --mirror) mirror=$2 ;; esac
      shift
      ;;
    --help)
      usage
      exit
      ;;
    *) die "there is no option '$1'; tests/fresh.sh --help lists them" ;;
  esac
  shift
done

if [[ -n ${PURETEST_FRESH_FOLDER:-} ]]; then # in the namespaces
  folder=$PURETEST_FRESH_FOLDER
  trap 'exit 130' INT TERM
  say "a minimal Debian ($suite) in $folder"
  make_root "$folder/debian"
  for part in "${parts[@]}"; do
    case $part in root) as_root_everything_works ;; user) a_user_is_told ;; pages) the_pages_are_right ;; debs) the_packages_work ;; esac
    [[ -n $keep ]] || rm -rf --one-file-system "${folder:?}/$part"
  done
  say 'passed'
  exit
fi

[[ $(id -u) == 0 ]] || die 'only root can make a root folder and mount in it: sudo make fresh'
command -v mmdebstrap > /dev/null || command -v debootstrap > /dev/null ||
  die 'neither mmdebstrap nor debootstrap is here: apt-get install mmdebstrap'
command -v python3 > /dev/null || die 'python3 is not here: apt-get install python3'
command -v git > /dev/null || die 'git is not here: apt-get install git'
unshare --mount --pid --fork true 2> /dev/null || die 'namespaces for mounts and processes cannot be made here'
if [[ -n $(git -c safe.directory='*' -C "$top" status --porcelain) ]]; then
  echo 'fresh: what is not committed is not in the clone' >&2
fi

if [[ -z $folder ]]; then
  folder=$(mktemp -d /var/tmp/pure-fresh.XXXXXX)
else
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
  [[ -z $(ls -A "$folder") ]] || die "$folder is not empty"
fi
inside=
# shellcheck disable=SC2317
clean_up() {
  local status=$?
  trap '' INT TERM
  if [[ -n $inside ]]; then
    kill -KILL "$inside" 2> /dev/null || true # and with it everything in its namespaces (unshare itself is deaf to TERM)
    wait "$inside" 2> /dev/null || true
  fi
  if [[ -n $keep ]]; then
    echo "fresh: left in $folder"
  else
    rm -rf --one-file-system "$folder"
  fi
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
free_kib=$(df --output=avail -k "$folder" | tail -n 1)
needed=10
[[ ${parts[*]} == *root* && -z $until ]] || needed=4
((free_kib > needed * 1024 * 1024)) ||
  die "$folder has only $((free_kib / 1024)) MB left; $needed GB are needed (--dir DIR elsewhere)"

# In the background, so that a signal ends it at once; bash makes its children deaf to Ctrl-C, which programs in there
# must hear like anywhere.
PURETEST_FRESH_FOLDER=$folder env --default-signal=INT,QUIT \
  unshare --mount --propagation private --pid --fork --kill-child --mount-proc bash "$self" "${arguments[@]}" < /dev/null &
inside=$!
status=0
wait "$inside" || status=$?
inside=
((status == 0)) || die "FAILED (status $status)"
