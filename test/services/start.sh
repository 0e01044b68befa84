#!/usr/bin/env bash
# Starts a private Redis, PostgreSQL and MariaDB on free ports, with their data in a temporary folder, and prints where
# they are as assignments. They end, and the folder goes, when the process given as $1 (default: the caller) has ended.
#
#   eval "$(test/services/start.sh $$)" && npm test
#
# Needs redis-server, postgresql and mariadb-server (Debian's packages of these names; MariaDB is left out where it is not installed).
# Started by root, PostgreSQL runs as user postgres and MariaDB as user mysql.
set -euo pipefail

owner=${1:-$PPID}
folder=$(mktemp -d /tmp/billpay-services.XXXXXX)
chmod 755 "$folder"

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

as_postgres() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi
}

postgres_bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$postgres_bin" ] || postgres_bin=$(dirname "$(command -v initdb)")

redis_port=$(free_port)
redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --appendonly no --dir "$folder" \
  --daemonize yes --pidfile "$folder/redis.pid" --logfile "$folder/redis.log" >/dev/null

mkdir "$folder/postgres"
[ "$(id -u)" = 0 ] && chown postgres "$folder/postgres"
postgres_port=$(free_port)
cd "$folder/postgres"
as_postgres "$postgres_bin/initdb" -D data -U billpay -A trust -E UTF8 --locale=C >initdb.log 2>&1
as_postgres "$postgres_bin/pg_ctl" -D data -w -t 60 -l postgres.log \
  -o "-p $postgres_port -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c max_connections=300" start >pg_ctl.log

mysql_port=
if PATH=$PATH:/usr/sbin command -v mariadbd >/dev/null; then
  mysql_port=$(free_port)
  mkdir "$folder/mysql"
  mysql_user=()
  if [ "$(id -u)" = 0 ]; then
    chown mysql "$folder/mysql"
    mysql_user=(--user=mysql)
  fi
  mariadb-install-db --no-defaults "${mysql_user[@]}" --datadir="$folder/mysql/data" --auth-root-authentication-method=normal \
    --skip-test-db >"$folder/mysql-install.log" 2>&1
  PATH=$PATH:/usr/sbin mariadbd --no-defaults "${mysql_user[@]}" --datadir="$folder/mysql/data" --port="$mysql_port" \
    --bind-address=127.0.0.1 --socket="$folder/mysql/socket" --pid-file="$folder/mysql/pid" --skip-name-resolve \
    --innodb-flush-log-at-trx-commit=2 --max-connections=300 >"$folder/mysql.log" 2>&1 </dev/null &
  for _ in $(seq 300); do
    mariadb-admin --no-defaults --socket="$folder/mysql/socket" --user=root ping >/dev/null 2>&1 && break
    sleep 0.1
  done
  mariadb --no-defaults --socket="$folder/mysql/socket" --user=root --execute "
    CREATE DATABASE billpay; CREATE USER billpay@127.0.0.1 IDENTIFIED BY ''; GRANT ALL ON *.* TO billpay@127.0.0.1 WITH GRANT OPTION"
fi

for _ in $(seq 100); do
  redis-cli -p "$redis_port" ping >/dev/null 2>&1 && break
  sleep 0.1
done
redis-cli -p "$redis_port" ping >/dev/null

(
  trap '' HUP INT TERM
  while kill -0 "$owner" 2>/dev/null; do sleep 1; done
  as_postgres "$postgres_bin/pg_ctl" -D "$folder/postgres/data" -m immediate stop
  kill "$(cat "$folder/redis.pid")"
  [ -z "$mysql_port" ] || kill -9 "$(cat "$folder/mysql/pid")"
  rm -rf "$folder"
) >/dev/null 2>&1 </dev/null &

echo "export BILLPAY_TEST_REDIS_URL=redis://127.0.0.1:$redis_port"
echo "export BILLPAY_TEST_POSTGRES_URL=postgres://billpay@127.0.0.1:$postgres_port/postgres"
[ -z "$mysql_port" ] || echo "export BILLPAY_TEST_MYSQL_URL=mysql://billpay@127.0.0.1:$mysql_port/billpay"
