#!/usr/bin/env bash
# Starts a throw-away PostgreSQL on a spare port and prints the line DATABASE_URL=…; `postgres.sh stop DIR` ends it.
# `start durable` makes one that keeps what it has confirmed when it is killed: `kill DIR`, then `again DIR`.
# Installs the Debian package when no server is there. Never runs as root, which PostgreSQL refuses.
set -euo pipefail

find_bin() { find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1; }

as_server() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
  else
    "$@"
  fi
}

launch() {
  as_server "$(find_bin)/pg_ctl" -D "$1/data" -l "$1/postgres.log" -w -t 60 -o "$(cat "$1/options")" start >/dev/null
}

case "${1:-}" in
  stop)
    dir=${2:?the folder that start printed}
    cd "$dir"
    as_server "$(find_bin)/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null || true
    rm -rf "$dir"
    exit 0
    ;;
  kill)
    kill -KILL "$(head -n 1 "${2:?the folder that start printed}/data/postmaster.pid")"
    exit 0
    ;;
  again)
    # Processes of the killed server hold its memory for a moment longer.
    cd "${2:?the folder that start printed}"
    for _ in $(seq 100); do
      if launch "$2" 2>/dev/null; then exit 0; fi
      sleep 0.1
    done
    cat "$2/postgres.log" >&2
    exit 1
    ;;
esac

bin=$(find_bin)
if [ -z "$bin" ]; then
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq >&2
  # Only the programs: the package would otherwise make and start a cluster of its own.
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql-common >&2
  echo 'create_main_cluster = false' | $sudo tee -a /etc/postgresql-common/createcluster.conf >/dev/null
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >&2
  bin=$(find_bin)
fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/postgres-XXXXXX")
chmod 0755 "$dir"
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
if [ "$(id -u)" = 0 ]; then chown postgres:postgres "$dir"; fi
cd "$dir"
as_server "$bin/initdb" -D "$dir/data" -U app -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir.log" 2>&1 || { cat "$dir.log" >&2; exit 1; }
mv "$dir.log" "$dir/initdb.log"
careless='-c fsync=off -c full_page_writes=off -c synchronous_commit=off'
if [ "${2:-}" = durable ]; then careless=; fi
echo "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='$dir' -c max_connections=200 $careless" >"$dir/options"
launch "$dir" || { cat "$dir/postgres.log" >&2; exit 1; }
echo "DATABASE_URL=postgres://app@127.0.0.1:$port/postgres"
echo "POSTGRES_DIR=$dir"
