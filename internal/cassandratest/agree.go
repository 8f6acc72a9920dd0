package cassandratest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
)

const (
	// Replicated to every node: see quickProperties.
	readAllNodes = "SELECT keyspace_name FROM system_distributed.view_build_status"

	selectSchemaVersion = "SELECT schema_version FROM system.local"
	countPeers          = "SELECT COUNT(tokens) FROM system.peers_v2"
)

// agree returns nil if every host knows of all others, has the same schema,
// and reads from all of them.
func agree(ctx context.Context, hosts []string) error {
	var schema []byte
	for _, host := range hosts {
		version, err := sees(ctx, host, len(hosts)-1)
		if err != nil {
			return fmt.Errorf("%s: %w", host, err)
		}
		if schema != nil && !bytes.Equal(schema, version) {
			return fmt.Errorf("%s: another schema than its peers", host)
		}
		schema = version
	}
	return nil
}

// sees returns host's schema version if host has that many peers and all of
// them answer it.
func sees(ctx context.Context, host string, peers int) (schema []byte, err error) {
	c, err := dial(ctx, host)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if c.auth { // it answers CQL, but no queries of ours
		return nil, nil
	}
	count, err := c.last(countPeers, 8)
	if err != nil {
		return nil, err
	}
	if n := binary.BigEndian.Uint64(count); n != uint64(peers) {
		return nil, fmt.Errorf("knows %d peers of %d", n, peers)
	}
	if _, err := c.query(readAllNodes, consistencyAll); err != nil {
		return nil, err
	}
	return c.last(selectSchemaVersion, 16)
}
