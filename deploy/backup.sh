#!/bin/sh
# Backups of a keyspace on Cassandra, from a machine that reaches its nodes by ssh, as the user that Cassandra runs as.
# The nodes need nodetool and tar.
#
#	export NODES='10.0.0.1 10.0.0.2 10.0.0.3'
#	deploy/backup.sh backup /backups/2027-01-02                  beside servers; the directory is new
#	deploy/backup.sh restore /backups/2027-01-02                 every table; no server runs
#	deploy/backup.sh restore /backups/2027-01-02 posts_by_id     these tables
#
# runbooks.md has what comes before and after. Variables beside NODES:
#
#	KEYSPACE          the keyspace, broadsheet if unset
#	ON                gets a node and a shell command, ssh if unset
#	CASSANDRA_DATA    on the nodes: the directory of keyspaces, /var/lib/cassandra/data if unset
#	TEXTFILES         the directory of node_exporter's textfile collector, for alerts; nothing is noted if unset
set -eu

keyspace=${KEYSPACE:-broadsheet}
tag=broadsheet

# A backup is of different moments. Tables that say what was done come first, copies after them, and each truth after
# what follows from it, on every node before the next: then no row lacks its truth, and what lacks or is stale verify
# --repair writes. A claim on a name comes before its account, as it is written.
marks='checkpoints journal idempotency_keys changes_by_log change_logs change_log_ends change_claims gaps'
claims='username_claims email_claims subject_claims'
truths='member_claims follow_claims bookmark_claims like_claims groups_by_id comments_by_post posts_by_id users_by_id'
omitted='leases'

die() {
	echo "backup.sh: $*" >&2
	exit 1
}

on() {
	${ON:-ssh} "$@"
}

# The nodes' shells expand it.
data="\"\${CASSANDRA_DATA:-/var/lib/cassandra/data}\""

# is WORD LIST: the list has the word.
is() {
	case " $2 " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# note NAME: writes a metric with the time.
note() {
	[ -n "${TEXTFILES:-}" ] || return 0
	echo "broadsheet_$1_timestamp_seconds $(date +%s)" >"$TEXTFILES/broadsheet_$1.prom.new"
	mv "$TEXTFILES/broadsheet_$1.prom.new" "$TEXTFILES/broadsheet_$1.prom"
}

# snapshot TABLES: on every node.
snapshot() {
	list=
	for table in $1; do
		list=$list${list:+,}$keyspace.$table
	done
	for node in $NODES; do
		on "$node" "nodetool snapshot --tag $tag --kt-list $list" >/dev/null </dev/null
	done
	echo "snapshot of $1"
}

clear_snapshots() {
	for node in $NODES; do
		on "$node" "nodetool clearsnapshot -t $tag -- $keyspace" >/dev/null </dev/null
	done
}

backup() {
	mkdir "$1"
	tables=$(on "${NODES%% *}" "nodetool tablestats $keyspace" </dev/null | sed -n 's/^[[:space:]]*Table: //p' | tr '\n' ' ')
	copies=
	for table in $tables; do
		is "$table" "$marks $claims $truths $omitted" || copies="$copies $table"
	done
	[ -n "$copies" ] || die "${NODES%% *} has no tables of $keyspace"
	for node in $NODES; do
		[ "$(on "$node" "nodetool datapaths $keyspace" </dev/null | sed -n 's#^[[:space:]]*\(/.*\)/[^/]*$#\1#p' | sort -u | wc -l)" -eq 1 ] ||
			die "$node does not have one directory of data, all that is copied"
	done
	clear_snapshots # of a backup that was cut off
	snapshot "$marks"
	snapshot "$claims${copies}"
	for table in $truths; do
		is "$table" "$tables" || continue # before a migration has made it
		snapshot "$table"
	done
	for node in $NODES; do
		mkdir "$1/$node"
		# A pipeline fails as its last command does: what fails before that says so on 3.
		cut=$({ { on "$node" "cd $data/$keyspace && tar cf - */snapshots/$tag" </dev/null || echo cut >&3; } |
			tar xf - -C "$1/$node" >&2; } 3>&1)
		[ -z "$cut" ] || die "not all of $node was copied: $1 is no backup"
		on "$node" "nodetool info --tokens" </dev/null >"$1/$node.info"
		echo "copied from $node"
	done
	clear_snapshots
	(cd "$1" && find . -type f ! -name sums -exec sha256sum {} + >sums && mv sums SHA256SUMS) # the last file of a whole one
	note backup
}

# restore DIRECTORY [TABLE…]
restore() {
	from=$1
	shift
	(cd "$from" && [ "$(find . -type f | wc -l)" -eq $(($(wc -l <SHA256SUMS) + 1)) ] && sha256sum --quiet --strict -c SHA256SUMS) ||
		die "$from is not whole, or damaged"
	for table; do
		ls -d "$from"/*/"$table"-* >/dev/null 2>&1 || die "$from has no table $table"
	done
	for node in $NODES; do
		[ -d "$from/$node" ] || die "$from has no node $node"
		folders=
		for folder in "$from/$node"/*; do
			folder=${folder##*/}
			table=${folder%-*}
			[ $# -eq 0 ] || is "$table" "$*" || continue
			ls "$from/$node/$folder/snapshots/$tag"/*-Data.db >/dev/null 2>&1 || continue # it was empty
			folders="$folders $folder"
		done
		[ -n "$folders" ] || continue
		# Beside the data, so that files are moved and not copied.
		cut=$({ { (cd "$from/$node" && tar cf - $folders) || echo cut >&3; } |
			on "$node" "rm -rf $data/../restore && mkdir $data/../restore && tar xf - -C $data/../restore" >&2; } 3>&1)
		[ -z "$cut" ] || die "$node was not given all of $from"
		for folder in $folders; do
			on "$node" "nodetool import $keyspace ${folder%-*} $data/../restore/$folder/snapshots/$tag" </dev/null
		done
		on "$node" "rm -rf $data/../restore" </dev/null
		echo "restored on $node:$folders"
	done
	for node in $NODES; do # what was written between two nodes' snapshots has to be on both
		on "$node" "nodetool repair --full --partitioner-range $keyspace $*" >/dev/null </dev/null
		echo "repaired $node"
	done
}

case ${1:-} in
backup | restore)
	[ $# -ge 2 ] || die "$1: name the directory"
	: "${NODES:?name the nodes: NODES=\"10.0.0.1 10.0.0.2 10.0.0.3\"}"
	"$@"
	;;
*) die "backup DIRECTORY, or restore DIRECTORY [TABLE…]" ;;
esac
