package httpapi

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Keys says how current the keys are by which tokens are judged.
type Keys struct {
	Age             time.Duration // since they were fetched; below 0: they never were
	Fetches, Failed uint64        // attempts that brought keys, and others
}

// keys shows that at each scrape.
type keys struct {
	now          func() Keys
	age, fetches *prometheus.Desc
}

var _ prometheus.Collector = (*keys)(nil)

func newKeys(now func() Keys) *keys {
	return &keys{
		now:     now,
		age:     prometheus.NewDesc("broadsheet_jwks_age_seconds", "Time since the issuer's keys were fetched that tokens are judged by; not there before the first.", nil, nil),
		fetches: prometheus.NewDesc("broadsheet_jwks_fetches_total", "Attempts to fetch the issuer's keys, by outcome: ok or failed.", []string{"outcome"}, nil),
	}
}

// Describe is a method of [prometheus.Collector].
func (k *keys) Describe(to chan<- *prometheus.Desc) {
	to <- k.age
	to <- k.fetches
}

// Collect is a method of [prometheus.Collector].
func (k *keys) Collect(to chan<- prometheus.Metric) {
	now := k.now()
	if now.Age >= 0 {
		to <- prometheus.MustNewConstMetric(k.age, prometheus.GaugeValue, now.Age.Seconds())
	}
	to <- prometheus.MustNewConstMetric(k.fetches, prometheus.CounterValue, float64(now.Fetches), "ok")
	to <- prometheus.MustNewConstMetric(k.fetches, prometheus.CounterValue, float64(now.Failed), "failed")
}
