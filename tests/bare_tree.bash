# shellcheck shell=bash
# Sourced by commands that try something in a bare Debian 12: a tree made by debootstrap, in which commands run in
# mount and process namespaces of their own, so that neither a mount nor a process is left behind however they end.
# The mirror is this machine's own; downloaded packages are kept in ${XDG_CACHE_HOME:-~/.cache}/slipstream-fresh-machine
# for the next run.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/slipstream-fresh-machine

require_debootstrap() {
  if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
    echo "$0 needs root and the package debootstrap." >&2
    exit 1
  fi
}

announce() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }

# expect WHAT FOUND WANTED: says that they are the same, or fails.
expect() {
  local what=$1 found=$2 wanted=$3
  if [[ $found != "$wanted" ]]; then
    echo "$what is '$found', should be '$wanted'" >&2
    return 1
  fi
  echo "ok: $what is '$found'"
}

# Prints "URI suite component" for each Debian 12 archive that this machine's apt uses, the main one first.
debian_sources() {
  apt-get indextargets --no-release-info --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' |
    grep --extended-regexp ' bookworm(-updates|-security)? main$' | sort --unique --key=2,2
}

make_tree() {
  local tree=$1 mirror
  mirror=$(debian_sources | sed -n 's/ bookworm main$//p')
  mkdir -p "$cache/archives"
  debootstrap --variant=minbase --cache-dir="$cache/archives" bookworm "$tree" "${mirror:?no Debian 12 mirror in apt}" \
    >"$cache/debootstrap.log" 2>&1 || { tail -n 20 "$cache/debootstrap.log" >&2 && return 1; }
  debian_sources | sed 's/^/deb /' >"$tree/etc/apt/sources.list"
  apt-config dump | grep --extended-regexp '^Acquire::(https?::proxy|Check-)' >"$tree/etc/apt/apt.conf.d/90host" || true
  cp --dereference /etc/resolv.conf /etc/hosts "$tree/etc/"
}

# What commands inside expect of a system; called in the namespaces.
mount_system() {
  local tree=$1
  mount -t proc proc "$tree/proc"
  mount --rbind /dev "$tree/dev"
  # glibc looks there at a thread's first allocation; where it finds nothing, gRPC takes the error for its own.
  mount --bind /sys "$tree/sys"
  mount --bind "$cache/archives" "$tree/var/cache/apt/archives"
}

# Runs a command inside, in the caller's or the new user's clean environment.
inside() {
  local tree=$1 user=$2 variable environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  shift 2
  for variable in http_proxy https_proxy no_proxy; do
    [[ -n ${!variable:-} ]] && environment+=("$variable=${!variable}")
  done
  if [[ $user == root ]]; then
    chroot "$tree" /usr/bin/env --ignore-environment HOME=/root "${environment[@]}" "$@"
  else
    chroot --userspec="$user:$user" "$tree" /usr/bin/env --ignore-environment "HOME=/home/$user" "${environment[@]}" "$@"
  fi
}
