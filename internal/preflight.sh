#!/bin/sh
# Says what this machine lacks of what its arguments name, and how to install it, before anything
# is compiled:  preflight.sh [go] [race] [release] [cassandra]
# Run it in the repository's root.

lacking=0
lack() { # what, and its command on Debian, on Fedora, on macOS
  printf 'This needs %s:\n  Debian: %s\n  Fedora: %s\n  macOS:  %s\n' "$@" >&2
  lacking=1
}

need_go() { # one that takes go.mod: since 1.21 Go gets the release that go.mod wants by itself
  command -v go >/dev/null && complaint=$(go list -m 2>&1 >/dev/null) ||
    lack "Go 1.21 or newer${complaint:+ ($complaint)}" \
      'apt-get install golang-go (Debian 12: https://go.dev/doc/install)' 'dnf install golang' 'brew install go'
}

need_race() { # the race detector is C, but not on macOS
  [ "$(uname)" = Darwin ] || echo '#include <stdlib.h>' | $(go env CC 2>/dev/null || echo cc) -E - >/dev/null 2>&1 ||
    lack 'a C compiler with its headers, for the race detector' \
      'apt-get install gcc libc6-dev' 'dnf install gcc' 'xcode-select --install'
}

need_release() { # binaries are made for both, wherever
  for machine in x86_64 aarch64; do
    command -v $machine-linux-gnu-gcc >/dev/null || lack "a C compiler for Linux on $machine, $machine-linux-gnu-gcc" \
      'apt-get install gcc-x86-64-linux-gnu gcc-aarch64-linux-gnu libc6-dev-amd64-cross libc6-dev-arm64-cross' \
      'a container of Debian' 'a container of Debian'
  done
}

need_cassandra() { # as Available of package cassandratest has it
  [ -n "$CASSANDRA_HOSTS" ] && return
  java=$(/bin/sh internal/cassandratest/java.sh 2>&1 >/dev/null) && {
    [ -n "$BROADSHEET_MAVEN_REPOSITORY" ] || command -v mvn >/dev/null || ls -d "${BROADSHEET_CACHE:-.cache}"/cassandra/* >/dev/null 2>&1 && return
    java='there is one, but no Maven to fetch Cassandra, nor BROADSHEET_MAVEN_REPOSITORY'
  }
  docker version >/dev/null 2>&1 && return
  lack "Java 17 or 21 with Maven ($java), or Docker that runs, or CASSANDRA_HOSTS=ip:port,ip:port of a cluster for tests" \
    'apt-get install maven openjdk-21-jre-headless (Debian 12: openjdk-17-jre-headless)' \
    'dnf install maven java-21-openjdk-headless' 'brew install maven openjdk@21'
}

for need; do "need_$need"; done
exit $lacking
