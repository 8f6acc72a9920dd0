package httpapi

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"broadsheet/blog"
)

// metrics is what /metrics shows, in a registry of its own: several servers may run
// in one process.
type metrics struct {
	registry *prometheus.Registry

	ready    prometheus.Gauge
	inFlight prometheus.Gauge
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	cost     *prometheus.HistogramVec
	limited  *prometheus.CounterVec
	shared   *prometheus.CounterVec

	names             *operationNames
	operationDuration *prometheus.HistogramVec
	operationErrors   *prometheus.CounterVec

	statements        *prometheus.CounterVec
	statementErrors   *prometheus.CounterVec
	statementRows     *prometheus.CounterVec
	statementParts    *prometheus.CounterVec
	statementDuration *prometheus.HistogramVec
}

// 0.1 ms to 13 s: an embedded read is at the lower end, a deadline at the upper.
var buckets = prometheus.ExponentialBuckets(0.0001, 2, 18)

// newMetrics counts at most so many operations by their names. store returns the
// store that is served from, nil while there is none.
func newMetrics(operations int, store func() blog.Store, waiting func() float64) *metrics {
	byTable := []string{"table", "kind"}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		ready:    gauge("ready", "1 while GraphQL requests are executed and should come here."),
		inFlight: gauge("http_requests_in_flight", "HTTP requests that are being answered."),
		requests: counter("graphql_requests_total", "GraphQL requests by type of operation and by the code of the first error, OK where there is none.", "operation", "code"),
		duration: histogram("graphql_request_duration_seconds", "Time from a GraphQL request's headers to its answer.", "operation"),

		cost: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "broadsheet", Name: "graphql_cost", Buckets: prometheus.ExponentialBuckets(1, 2, 12),
			Help: "Partitions that operations may read, as estimated before they are executed."}, []string{"operation"}),
		limited: counter("limited_requests_total", "Requests beyond a limit, by its name: refused, or for errors cut short, or with --cost-mode report executed all the same.", "limit"),

		shared: counter("shared_reads_total", "Callers that shared another's read: of the store, by query, or of a whole response.", "query"),

		names:             newOperationNames(operations),
		operationDuration: histogram("graphql_operation_duration_seconds", "Time from a GraphQL request's headers to its answer, by type and name of operation.", "operation", "name"),
		operationErrors:   counter("graphql_operation_errors_total", "GraphQL requests that were answered with an error, by type and name of operation and by the code of the first error.", "operation", "name", "code"),

		statements:        counter("statements_total", "Statements to the store, by table and kind.", byTable...),
		statementErrors:   counter("statement_errors_total", "Statements that failed, by table, kind and kind of error.", "table", "kind", "error"),
		statementRows:     counter("statement_rows_total", "Rows that statements read or wrote.", byTable...),
		statementParts:    counter("statement_partitions_total", "Partitions that statements touched.", byTable...),
		statementDuration: histogram("statement_duration_seconds", "Time that statements took.", byTable...),
	}
	m.registry.MustRegister(
		m.ready, m.inFlight, m.requests, m.duration, m.operationDuration, m.operationErrors, m.cost, m.limited, m.shared,
		m.statements, m.statementErrors, m.statementRows, m.statementParts, m.statementDuration,
		newUpkeep(store),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "broadsheet", Name: "graphql_requests_waiting", Help: "GraphQL requests that wait for their turn, as many being executed as may be."}, waiting),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	return m
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "broadsheet", Name: name, Help: help})
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "broadsheet", Name: name, Help: help}, labels)
}

func histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "broadsheet", Name: name, Help: help, Buckets: buckets}, labels)
}

// joined counts a caller that shares another's read.
func (m *metrics) joined(query string) { m.shared.WithLabelValues(query).Inc() }

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, MaxRequestsInFlight: 4})
}

func (m *metrics) request(r *record, took time.Duration) {
	if !r.graphql {
		return
	}
	m.requests.WithLabelValues(r.operation, r.code).Inc()
	m.duration.WithLabelValues(r.operation).Observe(took.Seconds())
	if r.cost > 0 {
		m.cost.WithLabelValues(r.operation).Observe(float64(r.cost))
	}
	for _, limit := range r.limits {
		m.limited.WithLabelValues(limit).Inc()
	}

	name := m.names.label(r.operation, r.name)
	m.operationDuration.WithLabelValues(r.operation, name).Observe(took.Seconds())
	if r.code != "OK" {
		m.operationErrors.WithLabelValues(r.operation, name, r.code).Inc()
	}
}

func (m *metrics) statement(s blog.Statement) {
	table, kind := string(s.Table), string(s.Kind)
	m.statements.WithLabelValues(table, kind).Inc()
	m.statementRows.WithLabelValues(table, kind).Add(float64(s.Rows))
	m.statementParts.WithLabelValues(table, kind).Add(float64(s.Partitions))
	m.statementDuration.WithLabelValues(table, kind).Observe(s.Duration.Seconds())
	if s.Err != nil {
		m.statementErrors.WithLabelValues(table, kind, kindLabel(s.Err)).Inc()
	}
}
