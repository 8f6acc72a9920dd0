package record

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/internal/httpapi/graphqlws"
)

// Metrics is what /metrics shows, in a registry of its own: several servers may run in one process.
type Metrics struct {
	Registry *prometheus.Registry

	InFlight                                  prometheus.Gauge
	Requests, Limited, Hints, refused, shared *prometheus.CounterVec
	duration, cost                            *prometheus.HistogramVec

	Sockets                       prometheus.Gauge
	Subscriptions                 *prometheus.GaugeVec
	closes, Events, SlowConsumers *prometheus.CounterVec

	names             operationNames
	operationDuration *prometheus.HistogramVec
	operationErrors   *prometheus.CounterVec

	roundTrips, statements, statementErrors, statementRows, statementParts, statementRefusals *prometheus.CounterVec
	statementDuration                                                                         *prometheus.HistogramVec

	answered series[answeredKey, answeredSeries]
	stated   series[statedKey, statedSeries]
}

// NewMetrics counts at most so many operations by their names. now returns the server's state.
func NewMetrics(operations int, now func() State) *Metrics {
	m := &Metrics{Registry: prometheus.NewRegistry(), names: operationNames{most: operations, known: map[[2]string]string{}}}
	make := promauto.With(m.Registry)
	gauge := func(name, help string) prometheus.Gauge {
		return make.NewGauge(prometheus.GaugeOpts{Namespace: "broadsheet", Name: name, Help: help})
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return make.NewCounterVec(prometheus.CounterOpts{Namespace: "broadsheet", Name: name, Help: help}, labels)
	}
	histogram := func(buckets []float64, name, help string, labels ...string) *prometheus.HistogramVec {
		return make.NewHistogramVec(prometheus.HistogramOpts{Namespace: "broadsheet", Name: name, Help: help, Buckets: buckets}, labels)
	}
	times := prometheus.ExponentialBuckets(0.0001, 2, 18) // 0.1 ms to 13 s: an embedded read is at the lower end, a deadline at the upper

	m.InFlight = gauge("http_requests_in_flight", "HTTP requests that are being answered.")
	m.Requests = counter("graphql_requests_total", "GraphQL requests by type of operation and by the code of the first error, OK where there is none.", "operation", "code")
	m.duration = histogram(times, "graphql_request_duration_seconds", "Time from a GraphQL request's headers to its answer.", "operation")
	m.cost = histogram(prometheus.ExponentialBuckets(1, 2, 12), "graphql_cost", "Partitions that operations may read, as estimated before they are executed.", "operation")
	m.Limited = counter("limited_requests_total", "Requests beyond a limit, by its name: refused, or for errors cut short.", "limit")
	m.Hints = counter("hints_total", "Requests that look as though a setting of the server was forgotten, by its flag.", "flag")
	m.refused = counter("graphql_user_errors_total", "The userErrors of mutations' payloads, by mutation and code.", "mutation", "code")
	m.shared = counter("shared_reads_total", "Callers that shared another's read: of the store, by query, or of a whole response.", "query")

	m.Sockets = gauge("websockets_open", "WebSockets that are open.")
	m.closes = counter("websockets_closed_total", "WebSockets that were closed, by the code that was sent or received; 1006 where there was none.", "code")
	m.Subscriptions = make.NewGaugeVec(prometheus.GaugeOpts{Namespace: "broadsheet", Name: "subscriptions_open",
		Help: "Subscriptions that are open, by what carries them: websocket or sse."}, []string{"transport"})
	m.Events = counter("subscription_events_sent_total", "Events that were sent to subscribers, each counted.", "transport")
	m.SlowConsumers = counter("slow_consumers_total", "Subscriptions that were ended because their client did not read in time.", "transport")

	m.operationDuration = histogram(times, "graphql_operation_duration_seconds", "Time from a GraphQL request's headers to its answer, by type and name of operation.", "operation", "name")
	m.operationErrors = counter("graphql_operation_errors_total", "GraphQL requests that were answered with an error, by type and name of operation and by the code of the first error.", "operation", "name", "code")

	m.roundTrips = counter("round_trips_total", "Requests to the store, by kind: a batch is one, whatever it touches.", "kind")
	m.statements = counter("statements_total", "Statements to the store, by table and kind. A batch counts at each of its tables.", "table", "kind")
	m.statementErrors = counter("statement_errors_total", "Statements that failed, by table, kind and kind of error. A batch counts at each of its tables.", "table", "kind", "error")
	m.statementRows = counter("statement_rows_total", "Rows that statements read or wrote.", "table", "kind")
	m.statementParts = counter("statement_partitions_total", "Partitions that statements touched, each once for a statement.", "table", "kind")
	m.statementRefusals = counter("statement_refusals_total", "Conditional statements that were not applied: others were faster, or the row was there.", "table")
	m.statementDuration = histogram(times, "statement_duration_seconds", "Time that statements took. That of a batch counts at each of its tables.", "table", "kind")

	goroutines := collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/sched/goroutines-created:goroutines$`)}
	m.Registry.MustRegister(state(now), collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(goroutines)), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	return m
}

// Joined returns what counts the callers that share another's read.
func (m *Metrics) Joined(query string) interface{ Inc() } { return m.shared.WithLabelValues(query) }

// Closed counts a WebSocket off. A client's code that is no code of the protocols has no label of its own.
func (m *Metrics) Closed(code int) {
	m.Sockets.Dec()
	label := "other"
	if slices.Contains(closeCodes, code) {
		label = strconv.Itoa(code)
	}
	m.closes.WithLabelValues(label).Inc()
}

// closeCodes are those that this server sends, and that clients send which end well.
var closeCodes = []int{
	graphqlws.CodeNormal, graphqlws.CodeGoingAway, graphqlws.CodeNoStatus, graphqlws.CodeLost, graphqlws.CodeTooLarge, graphqlws.CodeTryAgainLater,
	graphqlws.CodeInvalidMessage, graphqlws.CodeUnauthorized, graphqlws.CodeForbidden, graphqlws.CodeSubprotocol,
	graphqlws.CodeInitTimeout, graphqlws.CodeSubscriberExists, graphqlws.CodeTooManyInitRequests,
}

// Handler serves /metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{Registry: m.Registry, MaxRequestsInFlight: 4})
}

// Request counts a GraphQL request that was answered; any other is none.
func (m *Metrics) Request(r *Record, took time.Duration) {
	if !r.GraphQL {
		return
	}
	of := m.answered.of(m, answeredKey{r.Operation, m.names.label(r.Operation, r.Name), r.Code})
	of.requests.Inc()
	if r.Operation != string(ast.Subscription) { // that lasts as long as the client likes
		of.duration.Observe(took.Seconds())
		of.operationDuration.Observe(took.Seconds())
	}
	if of.operationErrors != nil {
		of.operationErrors.Inc()
	}
	if r.Cost > 0 && of.cost != nil {
		of.cost.Observe(float64(r.Cost))
	}
	for _, e := range r.Asker.UserErrors {
		m.refused.WithLabelValues(e.Mutation, e.Code).Inc()
	}
	for _, limit := range r.limits {
		m.Limited.WithLabelValues(limit).Inc()
	}
}

// statement counts a statement once, and at each of its tables as one of theirs.
func (m *Metrics) statement(s blog.Statement) {
	if s.Share {
		return
	}
	of := m.stated.of(m, statedKey{string(s.Table), string(s.Kind)})
	of.roundTrips.Inc()
	if s.Kind == blog.Conditional && s.Rows == 0 && s.Err == nil {
		m.statementRefusals.WithLabelValues(string(s.Table)).Inc()
	}
	for _, cost := range s.ByTable() {
		if cost.Table != s.Table {
			of = m.stated.of(m, statedKey{string(cost.Table), string(s.Kind)})
		}
		of.statements.Inc()
		of.rows.Add(float64(cost.Rows))
		of.partitions.Add(float64(cost.Partitions))
		of.duration.Observe(s.Duration.Seconds())
		if s.Err != nil {
			m.statementErrors.WithLabelValues(string(cost.Table), string(s.Kind), kindLabel(s.Err)).Inc()
		}
	}
}

// series are the metrics of sets of labels, each found once. [operationNames] and the schema bound their number.
type series[K labels[V], V any] struct {
	mu    sync.RWMutex
	known map[K]V
}

// labels are a set of labels.
type labels[V any] interface {
	comparable
	in(*Metrics) V // finds their metrics
}

func (s *series[K, V]) of(m *Metrics, key K) V {
	s.mu.RLock()
	found, known := s.known[key]
	s.mu.RUnlock()
	if known {
		return found
	}
	found = key.in(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[K]V{}
	}
	s.known[key] = found
	return found
}

// answeredKey is what GraphQL requests are counted by.
type answeredKey struct{ operation, name, code string }

type answeredSeries struct {
	requests                    prometheus.Counter
	duration, operationDuration prometheus.Observer
	cost                        prometheus.Observer // nil: the operation is unknown, and so is the cost
	operationErrors             prometheus.Counter  // nil: the code is none of an error
}

func (key answeredKey) in(m *Metrics) answeredSeries {
	of := answeredSeries{
		requests:          m.Requests.WithLabelValues(key.operation, key.code),
		duration:          m.duration.WithLabelValues(key.operation),
		operationDuration: m.operationDuration.WithLabelValues(key.operation, key.name),
	}
	if key.operation != OperationUnknown {
		of.cost = m.cost.WithLabelValues(key.operation)
	}
	if key.code != "OK" {
		of.operationErrors = m.operationErrors.WithLabelValues(key.operation, key.name, key.code)
	}
	return of
}

// statedKey is what statements are counted by.
type statedKey struct{ table, kind string }

type statedSeries struct {
	statements, rows, partitions prometheus.Counter
	duration                     prometheus.Observer
	roundTrips                   prometheus.Counter // of the kind, whatever the table
}

func (key statedKey) in(m *Metrics) statedSeries {
	return statedSeries{
		statements: m.statements.WithLabelValues(key.table, key.kind),
		rows:       m.statementRows.WithLabelValues(key.table, key.kind),
		partitions: m.statementParts.WithLabelValues(key.table, key.kind),
		duration:   m.statementDuration.WithLabelValues(key.table, key.kind),
		roundTrips: m.roundTrips.WithLabelValues(key.kind),
	}
}

// Observer counts a store's statements in the metrics and on their request's record, and makes spans of them.
type Observer struct {
	Metrics *Metrics
	Spans   *Spans // nil: no traces
}

var _ blog.Observer = Observer{}

// Statement is the method of [blog.Observer].
func (o Observer) Statement(ctx context.Context, s blog.Statement) {
	o.Metrics.statement(s)
	if r := Of(ctx); r != nil {
		r.statements.Add(1)
		r.partitions.Add(int64(s.Partitions))
	}
	if o.Spans != nil {
		o.Spans.statement(ctx, s)
	}
}
