package cassandratest

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

var testConfig = nodeConfig{
	Dir: `/tmp/with "quotes"`, Tokens: "1,2", CommitLogSync: Batch,
	Listen: "127.1.2.3", StoragePort: 7001, RPC: "127.1.2.3", NativePort: 9043,
	Seeds: "127.1.2.3:7001",
}

func TestCassandraYAML(t *testing.T) {
	t.Parallel()
	group := testConfig
	group.CommitLogSync = Group
	container := testConfig
	container.RPC, container.BroadcastRPC = "0.0.0.0", "127.0.0.1"

	tests := []struct {
		name     string
		config   nodeConfig
		settings map[string]string
		want     []string // whole lines
		wantNot  []string // anywhere
	}{
		{
			name: "a node", config: testConfig,
			want: []string{
				"commitlog_sync: batch", "listen_address: 127.1.2.3", "native_transport_port: 9043",
				`commitlog_directory: "/tmp/with \"quotes\"/commitlog"`,
				`    parameters: [{seeds: "127.1.2.3:7001"}]`,
			},
			wantNot: []string{"commitlog_sync_group_window", "broadcast_rpc_address"},
		},
		{
			name: "group sync has a window", config: group,
			want: []string{"commitlog_sync: group", "commitlog_sync_group_window: 2ms"},
		},
		{
			name: "in a container clients are told another address", config: container,
			want: []string{"rpc_address: 0.0.0.0", "broadcast_rpc_address: 127.0.0.1"},
		},
		{
			name: "a setting is added", config: testConfig,
			settings: map[string]string{"allow_filtering_enabled": "false"},
			want:     []string{"allow_filtering_enabled: false", "commitlog_sync: batch"},
		},
		{
			name: "a setting replaces one with all that is below it", config: testConfig,
			settings: map[string]string{"memtable": "{configurations: {}}"},
			want:     []string{"memtable: {configurations: {}}", "sstable:", "  selected_format: bti"},
			wantNot:  []string{"TrieMemtable", "inherits"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := cassandraYAML(test.config, test.settings)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(got, "\n")
			for _, want := range test.want {
				if !slices.Contains(lines, want) {
					t.Errorf("no line %q in\n%s", want, got)
				}
			}
			for _, not := range test.wantNot {
				if strings.Contains(got, not) {
					t.Errorf("there is %q in\n%s", not, got)
				}
			}
		})
	}
}

func TestLogbackXMLQuotesThePath(t *testing.T) {
	t.Parallel()
	got, err := logbackXML("/a&b/system.log")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, "<file>/a&amp;b/system.log</file>") {
		t.Error(got)
	}
}

// The nodes' tokens interleave, all different, the same distance apart.
func TestTokensShareTheRing(t *testing.T) {
	t.Parallel()
	for nodes := 1; nodes <= maxNodes; nodes++ {
		var ring []int64
		for k := range tokensPerNode {
			for i := range nodes {
				token, err := strconv.ParseInt(strings.Split(tokens(i, nodes), ",")[k], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				ring = append(ring, token)
			}
		}
		step := ring[1] - ring[0]
		for i := 1; i < len(ring); i++ {
			if ring[i]-ring[i-1] != step {
				t.Fatalf("%d nodes: token %d is %d after %d, want %d", nodes, i, ring[i]-ring[i-1], ring[i-1], step)
			}
		}
	}
}
