# shellcheck shell=bash
# Sourced by the commands of this folder: paths, and how to run a stage and report it.

repository=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
log_folder=$repository/.build/log

# stage NAME LOG COMMAND...: runs the command with its output in .build/log/LOG.log and prints one line with
# the name and the seconds that it took; meanwhile a terminal's line shows the log's last line, and elsewhere
# such a line is printed every now and then. If the command fails, prints the relevant part of the log and returns
# the command's status.
stage() {
  local name=$1 log=$log_folder/$2.log started=$SECONDS status=0 progress
  shift 2
  mkdir -p "$log_folder"
  : >"$log"
  if [[ -t 1 ]]; then
    printf '  %-10s' "$name"
    show_progress "$name" "$log" &
  else
    print_progress "$name" "$log" "$started" &
  fi
  progress=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill "$progress" 2>/dev/null || true
  wait "$progress" 2>/dev/null || true
  [[ -t 1 ]] && printf '\r\e[K'
  printf '  %-10s' "$name"
  if ((status != 0)); then
    printf ' failed after %d s\n\n' $((SECONDS - started))
    show_failure "$log" >&2
    return "$status"
  fi
  printf '%5d s\n' $((SECONDS - started))
}

# Rewrites the terminal's line every second until it is killed or its parent has ended.
show_progress() {
  local name=$1 log=$2 width
  width=$(tput cols 2>/dev/null || echo 80)
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    printf '\r\e[K  %-10s %s' "$name" "$(tail -n 1 "$log" | tr -d '\r' | cut -c "1-$((width - 16))")"
  done
}

# Prints a line after 5 s and then every 20 s until it is killed or its parent has ended.
print_progress() {
  local name=$1 log=$2 started=$3 seconds
  for ((seconds = 1; ; ++seconds)); do
    sleep 1 && kill -0 $$ 2>/dev/null || return
    ((seconds % 20 == 5)) || continue
    printf '  %-10s%5d s ... %s\n' "$name" $((SECONDS - started)) "$(tail -n 1 "$log" | tr -d '\r' | cut -c -100)"
  done
}

# Prints the lines around what compilers, GoogleTest and sanitizers report as failures, then the log's end;
# prints a short log whole.
show_failure() {
  local log=$1
  if (($(wc -l <"$log") <= 60)); then
    cat "$log"
    return
  fi
  local signs=': (fatal )?error: |: Failure$|CMake Error|ERROR: [A-Za-z]*Sanitizer|WARNING: ThreadSanitizer|runtime error: '
  grep --extended-regexp --after-context 12 "$signs" "$log" | head -n 100 || true
  printf '\n... the end of %s:\n' "$log"
  tail -n 25 "$log"
}

# The stages that every command needs; presets are those of CMakePresets.json. Packages are named by sections of
# packages.txt.
install_packages() {
  stage packages packages "$repository/deploy/install_packages" "$@"
}

configure() {
  local preset=$1
  shift
  cd "$repository" || return
  stage configure "$preset-configure" cmake --preset "$preset" "$@"
}

# Leaves tests out, whose packages may be absent, unless the build tree has them already.
configure_for_use() {
  if [[ -e $repository/.build/$1/CMakeCache.txt ]]; then
    configure "$1"
  else
    configure "$1" -DSLIPSTREAM_BUILD_TESTS=OFF
  fi
}

# build PRESET [TARGET...]: builds the targets, by default everything.
build() {
  local preset=$1
  shift
  cd "$repository" || return
  stage build "$preset-build" cmake --build --preset "$preset" ${1:+--target "$@"}
}
