package record

import (
	"github.com/prometheus/client_golang/prometheus"

	"broadsheet/blog"
	"broadsheet/internal/live"
)

// upkeep shows what a store does by itself, and how live updates follow it. It asks at each scrape, and
// shows nothing while there is no store.
type upkeep struct {
	now func() (blog.Store, *live.Hub)

	running, copies                           *prometheus.Desc
	undone, oldestUndone, expiring, recovered *prometheus.Desc
	recoveryLag, clockOffset                  *prometheus.Desc
	told, logs, feedLag                       *prometheus.Desc
	unbuilt                                   *prometheus.Desc
}

var _ prometheus.Collector = (*upkeep)(nil)

func newUpkeep(now func() (blog.Store, *live.Hub)) *upkeep {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("broadsheet_"+name, help, labels, nil)
	}
	return &upkeep{
		now:          now,
		running:      describe("jobs_running", "Jobs that this server works at now: rename writes a username to every copy of it, sweep removes what stood below a deleted post, erase deletes what an erased account wrote.", "job"),
		copies:       describe("job_copies_total", "Copies that jobs wrote or deleted.", "job"),
		undone:       describe("journal_undone", "Commands found half done, in the part of the journal that this server looks after."),
		oldestUndone: describe("journal_oldest_undone_seconds", "Age of the oldest of those; 0 where there is none."),
		expiring:     describe("journal_expiring", "Those of them whose record expires within a day."),
		recovered:    describe("journal_recovered_total", "Commands that this server finished for others."),
		recoveryLag:  describe("journal_lag_seconds", "How far behind now the journal was looked through, where that is furthest from now; negative where the position lies in the future."),
		clockOffset:  describe("clock_offset_seconds", "How far this server's clock is ahead of the database's; negative: behind."),
		unbuilt:      describe("tables_unbuilt", "Tables that are new and not built yet, whose queries are refused."),
		told:         describe("changes_told_total", "Changes that this server has appended to the change feed: of its own commands, or of those that recovery finished for other servers.", "by"),
		logs:         describe("change_logs_open", "Logs of the change feed that may get changes, as live updates follow them; 0 while there is no subscriber."),
		feedLag:      describe("change_feed_lag_seconds", "Time since live updates last read the change feed to its end; 0 while there is no subscriber."),
	}
}

// Describe is a method of [prometheus.Collector].
func (u *upkeep) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{u.running, u.copies, u.undone, u.oldestUndone, u.expiring, u.recovered, u.recoveryLag, u.clockOffset, u.unbuilt, u.told, u.logs, u.feedLag} {
		to <- d
	}
}

// Collect is a method of [prometheus.Collector].
func (u *upkeep) Collect(to chan<- prometheus.Metric) {
	store, hub := u.now()
	if store == nil {
		return
	}
	now, live := store.Upkeep(), hub.Progress()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	counter := func(d *prometheus.Desc, value int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}
	for _, job := range blog.Jobs() {
		gauge(u.running, float64(now.Jobs[job].Running), string(job))
		counter(u.copies, now.Jobs[job].Copies, string(job))
	}
	gauge(u.undone, float64(now.Undone))
	gauge(u.oldestUndone, now.OldestUndone.Seconds())
	gauge(u.expiring, float64(now.Expiring))
	counter(u.recovered, now.Recovered)
	gauge(u.recoveryLag, now.RecoveryLag.Seconds())
	gauge(u.clockOffset, now.ClockOffset.Seconds())
	gauge(u.unbuilt, float64(len(now.Unbuilt)))
	counter(u.told, now.Told, "command")
	counter(u.told, now.ToldForOthers, "recovery")
	gauge(u.logs, float64(live.Logs))
	gauge(u.feedLag, live.Lag.Seconds())
}
