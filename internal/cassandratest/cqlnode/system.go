package cqlnode

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"maps"
	"net"
	"slices"
)

// The tables that a driver and the program look at a cluster with.
var systemTables = []string{
	`CREATE TABLE system.local (key text PRIMARY KEY, bootstrapped text, broadcast_address inet, cluster_name text,
		cql_version text, data_center text, host_id uuid, listen_address inet, native_protocol_version text,
		partitioner text, rack text, release_version text, rpc_address inet, schema_version uuid, tokens set<text>)`,
	`CREATE TABLE system.peers (peer inet PRIMARY KEY, data_center text, host_id uuid, rack text, release_version text,
		rpc_address inet, schema_version uuid, tokens set<text>)`,
	`CREATE TABLE system.peers_v2 (peer inet, peer_port int, data_center text, host_id uuid, native_address inet, native_port int,
		rack text, release_version text, schema_version uuid, tokens set<text>, PRIMARY KEY ((peer), peer_port))`,
	`CREATE TABLE system_views.settings (name text PRIMARY KEY, value text)`,
	`CREATE TABLE system_views.max_partition_size (keyspace_name text, table_name text, mebibytes bigint, PRIMARY KEY ((keyspace_name, table_name)))`,
	`CREATE TABLE system_schema.keyspaces (keyspace_name text PRIMARY KEY, durable_writes boolean, replication frozen<map<text, text>>)`,
	`CREATE TABLE system_schema.tables (keyspace_name text, table_name text, default_time_to_live int, PRIMARY KEY ((keyspace_name), table_name))`,
	`CREATE TABLE system_schema.columns (keyspace_name text, table_name text, column_name text, clustering_order text, kind text,
		position int, type text, PRIMARY KEY ((keyspace_name), table_name, column_name))`,
	`CREATE TABLE system_schema.types (keyspace_name text, type_name text, field_names frozen<list<text>>, field_types frozen<list<text>>,
		PRIMARY KEY ((keyspace_name), type_name))`,
	`CREATE TABLE system_schema.functions (keyspace_name text, function_name text, argument_types frozen<list<text>>,
		argument_names frozen<list<text>>, body text, called_on_null_input boolean, language text, return_type text,
		PRIMARY KEY ((keyspace_name), function_name))`,
	`CREATE TABLE system_schema.aggregates (keyspace_name text, aggregate_name text, argument_types frozen<list<text>>, final_func text,
		initcond text, return_type text, state_func text, state_type text, PRIMARY KEY ((keyspace_name), aggregate_name))`,
	`CREATE TABLE system_schema.views (keyspace_name text, view_name text, base_table_id uuid, base_table_name text,
		bloom_filter_fp_chance text, caching text, comment text, compaction text, compression text, crc_check_chance text,
		dclocal_read_repair_chance text, default_time_to_live int, extensions text, gc_grace_seconds int, id uuid,
		include_all_columns boolean, max_index_interval int, memtable_flush_period_in_ms int, min_index_interval int,
		read_repair_chance text, speculative_retry text, PRIMARY KEY ((keyspace_name), view_name))`,
}

// values are a row of a system table, by its columns.
type values map[string][]byte

// addSystem adds the tables of a node with an address.
func (e *engine) addSystem(ip net.IP) {
	e.ip, e.virtual = ip, map[name]*virtual{}
	for _, cql := range systemTables {
		tokens, _ := lex(cql)
		created := (&parser{tokens: tokens}).whole().(*createTable)
		t, _ := newTable(created.name.keyspace, created)
		e.virtual[created.name] = &virtual{table: t, generation: -1}
	}
}

// virtual is a table of the system's.
type virtual struct {
	table      *table
	generation int // of the schema that its rows are of
}

// current returns the table, whose rows are made anew where the schema has changed.
func (e *engine) current(v *virtual) *table {
	if v.generation != e.generation || v.table.keyspace == "system_views" {
		v.table.empty()
		v.table.fill(e.systemRows(v.table.name))
		v.generation = e.generation
	}
	return v.table
}

// systemRows returns what stands in a table of the system's: in most of them nothing.
func (e *engine) systemRows(table string) []values {
	switch table {
	case "local":
		return []values{e.local(e.ip)}
	case "peers_v2":
		return e.peerRows()
	case "keyspaces":
		return e.keyspaceRows()
	case "tables":
		return e.tableRows()
	case "columns":
		return e.columnRows()
	case "max_partition_size":
		return e.partitionRows()
	}
	return nil
}

func (t *table) fill(all []values) {
	for _, row := range all {
		p := t.partition(keyOf(t.partitionKey, row))
		r := p.at(t, keyOf(t.clustering, row))
		r.marker = marker{}
		for _, c := range t.columns {
			switch v := row[c.name]; {
			case v == nil || c.kind < static:
			case c.isSet():
				r.put(c, mustSet(v))
			default:
				r.put(c, cell{value: v})
			}
		}
	}
}

func mustSet(v []byte) cell {
	c, _ := elementsAs(v, cell{value: v})
	return c
}

func keyOf(columns []*column, row values) (key [][]byte) {
	for _, c := range columns {
		key = append(key, row[c.name])
	}
	return key
}

const (
	datacenter = "datacenter1"
	release    = "5.0.9"
)

func (e *engine) local(ip net.IP) values {
	id := md5.Sum(ip)
	return values{
		"key": []byte("local"), "bootstrapped": []byte("COMPLETED"), "broadcast_address": ip, "cluster_name": []byte("cqlnode"),
		"cql_version": []byte("3.4.7"), "data_center": []byte(datacenter), "host_id": version4(id), "listen_address": ip,
		"native_protocol_version": []byte("4"), "partitioner": []byte("org.apache.cassandra.dht.Murmur3Partitioner"),
		"rack": []byte("rack1"), "release_version": []byte(release), "rpc_address": ip,
		"schema_version": e.schemaVersion(), "tokens": tokens(ip),
	}
}

// tokens are those of a node: one, in the order of addresses.
func tokens(ip net.IP) []byte { return joined([][]byte{fmt.Append(nil, ip[3])}) }

func (e *engine) peerRows() (all []values) {
	for _, peer := range e.peers {
		id := md5.Sum(peer.IP.To4())
		all = append(all, values{
			"peer": peer.IP.To4(), "peer_port": encodeInt(peer.Port), "native_address": peer.IP.To4(), "native_port": encodeInt(peer.Port),
			"data_center": []byte(datacenter), "host_id": version4(id), "rack": []byte("rack1"), "release_version": []byte(release),
			"schema_version": e.schemaVersion(), "tokens": tokens(peer.IP.To4()),
		})
	}
	return all
}

func (e *engine) schemaVersion() []byte {
	return version4(md5.Sum(binary.BigEndian.AppendUint64(nil, uint64(e.generation))))
}

func version4(id [16]byte) []byte {
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id[:]
}

func (e *engine) keyspaceRows() (all []values) {
	for _, k := range e.keyspaces {
		var options [][]byte
		for _, key := range slices.Sorted(maps.Keys(k.replication)) {
			value := k.replication[key]
			if key == "class" && value == "NetworkTopologyStrategy" {
				value = "org.apache.cassandra.locator.NetworkTopologyStrategy"
			}
			options = append(options, []byte(key), []byte(value))
		}
		all = append(all, values{
			"keyspace_name": []byte(k.name), "durable_writes": boolean(true), "replication": joinedAs(len(options)/2, options),
		})
	}
	return all
}

func (e *engine) tableRows() (all []values) {
	for _, k := range e.keyspaces {
		for _, t := range k.tables {
			all = append(all, values{"keyspace_name": []byte(k.name), "table_name": []byte(t.name), "default_time_to_live": encodeInt(int(t.ttl))})
		}
	}
	return all
}

func (e *engine) columnRows() (all []values) {
	for _, k := range e.keyspaces {
		for _, t := range k.tables {
			for _, c := range t.columns {
				all = append(all, c.described(t))
			}
		}
	}
	return all
}

func (e *engine) partitionRows() (all []values) {
	for _, k := range e.keyspaces {
		for _, t := range k.tables {
			largest := 0
			for _, p := range t.partitions {
				largest = max(largest, p.size())
			}
			mebibytes := binary.BigEndian.AppendUint64(nil, uint64(largest>>20))
			all = append(all, values{"keyspace_name": []byte(k.name), "table_name": []byte(t.name), "mebibytes": mebibytes})
		}
	}
	return all
}

// size is that of its values, in bytes.
func (p *partition) size() (bytes int) {
	for _, r := range p.rows {
		for _, c := range r.cells {
			bytes += len(c.value)
		}
	}
	return bytes
}

func (c *column) described(t *table) values {
	order, position := "none", -1
	if c.kind < static {
		position = c.position
	}
	switch {
	case c.kind == clustering && c.descending:
		order = "desc"
	case c.kind == clustering:
		order = "asc"
	}
	return values{
		"keyspace_name": []byte(t.keyspace), "table_name": []byte(t.name), "column_name": []byte(c.name),
		"clustering_order": []byte(order), "kind": []byte(c.kind.String()), "position": encodeInt(position),
		"type": []byte(c.typ.String()),
	}
}
