package cassandratest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
)

// tokensPerNode is Cassandra's own default (num_tokens).
const tokensPerNode = 16

var (
	//go:embed cassandra.yaml.tmpl
	yamlText string
	//go:embed logback.xml.tmpl
	logbackText string

	yamlTemplate    = template.Must(template.New("cassandra.yaml").Funcs(template.FuncMap{"yaml": quoteYAML}).Parse(yamlText))
	logbackTemplate = template.Must(template.New("logback.xml").Parse(logbackText))
)

// nodeConfig is what differs from one node's cassandra.yaml to another's.
type nodeConfig struct {
	Dir           string // absolute; data and logs live below it
	Tokens        string // comma separated, tokensPerNode of them
	CommitLogSync CommitLogSync
	Listen        string // between nodes
	StoragePort   int
	RPC           string // for clients
	BroadcastRPC  string // what clients are told, if not RPC
	NativePort    int
	Seeds         string // "ip:port,ip:port"
}

// NumTokens is for the template.
func (nodeConfig) NumTokens() int { return tokensPerNode }

// cassandraYAML renders a node's cassandra.yaml; settings replace the
// template's own of the same name.
func cassandraYAML(c nodeConfig, settings map[string]string) (string, error) {
	var b strings.Builder
	if err := yamlTemplate.Execute(&b, c); err != nil {
		return "", fmt.Errorf("cassandratest: %w", err)
	}
	out := withoutSettings(b.String(), settings)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		out += name + ": " + settings[name] + "\n"
	}
	return out, nil
}

// withoutSettings leaves out the top-level settings that are named in drop,
// with the lines indented below them.
func withoutSettings(text string, drop map[string]string) string {
	var kept strings.Builder
	dropping := false
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" && line[0] != ' ' {
			name, _, _ := strings.Cut(line, ":")
			_, dropping = drop[name]
		}
		if !dropping {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// logbackXML renders the logging configuration that writes to file.
func logbackXML(file string) (string, error) {
	var b strings.Builder
	if err := logbackTemplate.Execute(&b, file); err != nil {
		return "", fmt.Errorf("cassandratest: %w", err)
	}
	return b.String(), nil
}

// quoteYAML joins parts to one quoted scalar: a JSON string is one.
func quoteYAML(parts ...string) (string, error) {
	b, err := json.Marshal(strings.Join(parts, ""))
	return string(b), err
}

// tokens deals the Murmur3 ring, -2⁶³ to 2⁶³-1, evenly to nodes in turn and
// returns those of node i, comma separated.
func tokens(i, nodes int) string {
	step := ^uint64(0) / uint64(nodes*tokensPerNode)
	own := make([]string, tokensPerNode)
	for k := range own {
		at := uint64(k*nodes+i) * step
		own[k] = fmt.Sprint(int64(at ^ 1<<63)) // 0 is the ring's lowest end
	}
	return strings.Join(own, ",")
}
