package record

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"broadsheet/blog"
	"broadsheet/internal/live"
)

// State is what the metrics show of a server.
type State struct {
	Store                blog.Store // that is served from; nil: there is none
	Live                 *live.Hub  // which follows its changes
	Ready, WritesRefused bool       // as /readyz says
	Waiting              int64      // requests, for their turn
	Keys                 Keys       // by which tokens are judged; nil: there are none
}

// Keys are those of an issuer.
type Keys interface {
	// Fetches returns when the keys were last fetched, zero where they never were, and how many attempts brought keys
	// and how many failed. It is false of keys that do not change.
	Fetches() (last time.Time, ok, failed uint64, changing bool)
}

// figures are metrics whose values are found out at each scrape.
type figures chan<- prometheus.Metric

func (f figures) gauge(name, help string, value float64, label ...string) {
	f.show(prometheus.GaugeValue, name, help, value, label)
}

func (f figures) counter(name, help string, value float64, label ...string) {
	f.show(prometheus.CounterValue, name, help, value, label)
}

// show sends a figure, whose label is a name and a value, or nothing.
func (f figures) show(kind prometheus.ValueType, name, help string, value float64, label []string) {
	most := min(len(label), 1)
	f <- prometheus.MustNewConstMetric(prometheus.NewDesc("broadsheet_"+name, help, label[:most], nil), kind, value, label[most:]...)
}

// state returns the state of a server, which it shows.
type state func() State

// Describe is a method of [prometheus.Collector]. It has all that may be shown.
func (state) Describe(to chan<- *prometheus.Desc) {
	prometheus.DescribeByCollect(prometheus.CollectorFunc(func(all chan<- prometheus.Metric) {
		every := blog.Upkeep{LastBackup: time.Now(), LastVerify: time.Now(), Parts: 1}
		every.Nodes, every.Partitions = map[string]blog.Node{"": {}}, map[blog.Table]int64{"": 0}
		figures(all).upkeep(every, live.Progress{})
		figures(all).requests(State{})
		figures(all).keys(time.Now(), 0, 0)
	}), to)
}

// Collect is a method of [prometheus.Collector].
func (s state) Collect(to chan<- prometheus.Metric) {
	f, now := figures(to), s()
	if now.Store != nil {
		f.upkeep(now.Store.Upkeep(), now.Live.Progress())
	}
	f.requests(now)
	if now.Keys != nil {
		if last, ok, failed, changing := now.Keys.Fetches(); changing {
			f.keys(last, ok, failed)
		}
	}
}

// requests shows whether requests are answered.
func (f figures) requests(now State) {
	f.gauge("graphql_requests_waiting", "GraphQL requests that wait for their turn, as many being executed as may be.", float64(now.Waiting))
	f.gauge("ready", "1 while GraphQL requests are executed and should come here, as /readyz says.", oneIf(now.Ready))
	f.gauge("writes_refused", "1 while queries are answered and nothing is written, as on a full disk.", oneIf(now.WritesRefused))
}

// upkeep shows what a store does by itself, and how live updates follow it.
func (f figures) upkeep(now blog.Upkeep, live live.Progress) {
	for _, job := range blog.Jobs() {
		f.gauge("jobs_running", "Jobs that this server works at now: rename writes a username to every copy of it, sweep removes what stood below a deleted post, erase deletes what an erased account wrote.", float64(now.Jobs[job].Running), "job", string(job))
		f.gauge("job_oldest_seconds", "For how long the oldest of those has run here; 0 where none runs.", now.Jobs[job].Oldest.Seconds(), "job", string(job))
		f.counter("job_copies_total", "Copies that jobs wrote or deleted.", float64(now.Jobs[job].Copies), "job", string(job))
	}
	if now.Parts > 0 {
		f.gauge("journal_parts_held", "Parts of the journal that this server looks after: each is one server's.", float64(now.Held))
	}
	f.gauge("journal_undone", "Commands found half done, in the part of the journal that this server looks after.", float64(now.Undone))
	f.gauge("journal_oldest_undone_seconds", "Age of the oldest of those; 0 where there is none.", now.OldestUndone.Seconds())
	f.gauge("journal_expiring", "Those of them whose record expires within a day.", float64(now.Expiring))
	f.counter("journal_recovered_total", "Commands that this server finished for others.", float64(now.Recovered))
	f.gauge("journal_lag_seconds", "How far behind now the journal was looked through, where that is furthest from now; negative where the position lies in the future.", now.RecoveryLag.Seconds())
	f.gauge("clock_offset_seconds", "How far this server's clock is ahead of the database's; negative: behind.", now.ClockOffset.Seconds())
	f.gauge("schema_version", "The last migration of the schema, or the revision of the embedded store's directory.", float64(now.Schema))
	if !now.LastVerify.IsZero() {
		f.gauge("verify_timestamp_seconds", "When verify last found all well, in seconds since 1970; 0: never.", float64(now.LastVerify.Unix()))
	}
	for address, node := range now.Nodes {
		f.gauge("cassandra_node_up", "1 while this server is connected to a node of the cluster, and has its answers.", oneIf(node.Up), "node", address)
		f.counter("cassandra_hung_connections_total", "Connections closed because a node did not answer while others did.", float64(node.Hung), "node", address)
	}
	if len(now.Nodes) > 0 {
		f.counter("cassandra_hedged_reads_total", "Reads asked of a second node, because the first took longer than nearly all do.", float64(now.Hedged))
	}
	for table, bytes := range now.Partitions {
		f.gauge("cassandra_largest_partition_bytes", "Size of a table's largest partition, of a MiB or more, on one node, another each hour.", float64(bytes), "table", string(table))
	}
	f.gauge("tables_unbuilt", "Tables that are new and not built yet, whose queries are refused.", float64(len(now.Unbuilt)))
	if !now.LastBackup.IsZero() {
		f.gauge("backup_timestamp_seconds", "When a backup was last made of the embedded store, in seconds since 1970; 0: never.", float64(now.LastBackup.Unix()))
	}
	const published = "Changes that this server has appended to the change feed: of its own commands, or of those that recovery finished for other servers."
	f.counter("changes_told_total", published, float64(now.Told), "by", "command")
	f.counter("changes_told_total", published, float64(now.ToldForOthers), "by", "recovery")
	f.gauge("change_logs_open", "Logs of the change feed that may get changes, as live updates follow them; 0 while there is no subscriber.", float64(live.Logs))
	f.gauge("change_feed_lag_seconds", "Time since live updates last read the change feed to its end; 0 while there is no subscriber.", live.Lag.Seconds())
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// keys shows how current the keys of an issuer are.
func (f figures) keys(last time.Time, ok, failed uint64) {
	if !last.IsZero() {
		f.gauge("jwks_age_seconds", "Time since the issuer's keys were fetched that tokens are judged by; not there before the first.", time.Since(last).Seconds())
	}
	const fetches = "Attempts to fetch the issuer's keys, by outcome: ok or failed."
	f.counter("jwks_fetches_total", fetches, float64(ok), "outcome", "ok")
	f.counter("jwks_fetches_total", fetches, float64(failed), "outcome", "failed")
}
