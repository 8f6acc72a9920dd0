package cassandra

import (
	"strings"
	"testing"
	"time"

	"broadsheet/blog"
	"broadsheet/cassandra/feed"
)

func TestConfigOfAStore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(*Config)
		want string // part of the message; empty: accepted
	}{
		"defaults":                    {func(*Config) {}, ""},
		"no hosts":                    {func(c *Config) { c.Hosts = nil }, "as in --cassandra-hosts 10"},
		"a feed of seconds":           {func(c *Config) { c.FeedBucketWidth = 90 * time.Second }, "whole minutes"},
		"no feed shards":              {func(c *Config) { c.FeedShards = -1 }, "feed shards"},
		"more feed shards than count": {func(c *Config) { c.FeedShards = feed.MaxShards + 1 }, "feed shards"},
		"jobs that write nothing":     {func(c *Config) { c.JobRate = -1 }, "job rate"},
	} {
		t.Run(name, func(t *testing.T) {
			var config Config
			config.Hosts = []string{"10.0.0.1:9042"}
			c.edit(&config)
			err := config.Check()
			if c.want == "" && err != nil {
				t.Fatal(err)
			}
			if c.want != "" && (blog.KindOf(err) != blog.Invalid || err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Fatalf("got %v, want a hint at %q", err, c.want)
			}
		})
	}
}
