package record

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/vektah/gqlparser/v2/ast"

	"broadsheet/blog"
	"broadsheet/internal/httpapi/graphqlws"
	"broadsheet/internal/live"
)

// Metrics is what /metrics shows, in a registry of its own: several servers may run
// in one process.
type Metrics struct {
	Registry *prometheus.Registry

	Ready    prometheus.Gauge
	InFlight prometheus.Gauge
	Requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	cost     *prometheus.HistogramVec
	Limited  *prometheus.CounterVec
	Hints    *prometheus.CounterVec
	refused  *prometheus.CounterVec
	shared   *prometheus.CounterVec

	Sockets       prometheus.Gauge
	closes        *prometheus.CounterVec
	Subscriptions *prometheus.GaugeVec
	Events        *prometheus.CounterVec
	SlowConsumers *prometheus.CounterVec

	names             *operationNames
	operationDuration *prometheus.HistogramVec
	operationErrors   *prometheus.CounterVec

	roundTrips        *prometheus.CounterVec
	statements        *prometheus.CounterVec
	statementErrors   *prometheus.CounterVec
	statementRows     *prometheus.CounterVec
	statementParts    *prometheus.CounterVec
	statementDuration *prometheus.HistogramVec

	answered *metricSets[answeredKey, answeredSeries]
	stated   *metricSets[statedKey, statedSeries]
}

// 0.1 ms to 13 s: an embedded read is at the lower end, a deadline at the upper.
var buckets = prometheus.ExponentialBuckets(0.0001, 2, 18)

// NewMetrics counts at most so many operations by their names. now returns what is served from.
func NewMetrics(operations int, now func() (blog.Store, *live.Hub), waiting func() float64) *Metrics {
	byTable := []string{"table", "kind"}
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		Ready:    gauge("ready", "1 while GraphQL requests are executed and should come here."),
		InFlight: gauge("http_requests_in_flight", "HTTP requests that are being answered."),
		Requests: counter("graphql_requests_total", "GraphQL requests by type of operation and by the code of the first error, OK where there is none.", "operation", "code"),
		duration: histogram("graphql_request_duration_seconds", "Time from a GraphQL request's headers to its answer.", "operation"),

		cost: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "broadsheet", Name: "graphql_cost", Buckets: prometheus.ExponentialBuckets(1, 2, 12),
			Help: "Partitions that operations may read, as estimated before they are executed."}, []string{"operation"}),
		Limited: counter("limited_requests_total", "Requests beyond a limit, by its name: refused, or for errors cut short.", "limit"),

		Hints: counter("hints_total", "Requests that look as though a setting of the server was forgotten, by its flag.", "flag"),

		refused: counter("graphql_user_errors_total", "The userErrors of mutations' payloads, by mutation and code.", "mutation", "code"),

		shared: counter("shared_reads_total", "Callers that shared another's read: of the store, by query, or of a whole response.", "query"),

		Sockets: gauge("websockets_open", "WebSockets that are open."),
		closes:  counter("websockets_closed_total", "WebSockets that were closed, by the code that was sent or received; 1006 where there was none.", "code"),
		Subscriptions: prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "broadsheet", Name: "subscriptions_open",
			Help: "Subscriptions that are open, by what carries them: websocket or sse."}, []string{"transport"}),
		Events:        counter("subscription_events_sent_total", "Events that were sent to subscribers, each counted.", "transport"),
		SlowConsumers: counter("slow_consumers_total", "Subscriptions that were ended because their client did not read in time.", "transport"),

		names:             newOperationNames(operations),
		operationDuration: histogram("graphql_operation_duration_seconds", "Time from a GraphQL request's headers to its answer, by type and name of operation.", "operation", "name"),
		operationErrors:   counter("graphql_operation_errors_total", "GraphQL requests that were answered with an error, by type and name of operation and by the code of the first error.", "operation", "name", "code"),

		roundTrips:        counter("round_trips_total", "Requests to the store, by kind: a batch is one, whatever it touches.", "kind"),
		statements:        counter("statements_total", "Statements to the store, by table and kind. A batch counts at each of its tables.", byTable...),
		statementErrors:   counter("statement_errors_total", "Statements that failed, by table, kind and kind of error. A batch counts at each of its tables.", "table", "kind", "error"),
		statementRows:     counter("statement_rows_total", "Rows that statements read or wrote.", byTable...),
		statementParts:    counter("statement_partitions_total", "Partitions that statements touched, each once for a statement.", byTable...),
		statementDuration: histogram("statement_duration_seconds", "Time that statements took. That of a batch counts at each of its tables.", byTable...),
	}
	m.answered, m.stated = newMetricSets(m.answeredBy), newMetricSets(m.statedBy)
	m.Registry.MustRegister(
		m.Ready, m.InFlight, m.Requests, m.duration, m.operationDuration, m.operationErrors, m.cost, m.Limited, m.Hints, m.refused, m.shared,
		m.roundTrips, m.statements, m.statementErrors, m.statementRows, m.statementParts, m.statementDuration,
		m.Sockets, m.closes, m.Subscriptions, m.Events, m.SlowConsumers,
		newUpkeep(now),
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

// Joined counts a caller that shares another's read.
func (m *Metrics) Joined(query string) { m.shared.WithLabelValues(query).Inc() }

// Closed counts a WebSocket off. A client's code that is no code of the protocols is not a
// label of its own.
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
	of := m.answered.of(answeredKey{r.Operation, m.names.label(r.Operation, r.Name), r.Code})
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
	of := m.stated.of(statedKey{string(s.Table), string(s.Kind)})
	of.roundTrips.Inc()
	for cost := range s.ByTable() {
		if cost.Table != s.Table {
			of = m.stated.of(statedKey{string(cost.Table), string(s.Kind)})
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

// metricSets are the Metrics of one set of labels, found together. There are as many
// as [operationNames] and the schema have labels.
type metricSets[K comparable, V any] struct {
	find func(K) V

	mu    sync.RWMutex
	known map[K]V
}

func newMetricSets[K comparable, V any](find func(K) V) *metricSets[K, V] {
	return &metricSets[K, V]{find: find, known: map[K]V{}}
}

func (s *metricSets[K, V]) of(key K) V {
	s.mu.RLock()
	found, known := s.known[key]
	s.mu.RUnlock()
	if !known {
		found = s.find(key)
		s.mu.Lock()
		s.known[key] = found
		s.mu.Unlock()
	}
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

func (m *Metrics) answeredBy(key answeredKey) answeredSeries {
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

func (m *Metrics) statedBy(key statedKey) statedSeries {
	return statedSeries{
		statements: m.statements.WithLabelValues(key.table, key.kind),
		rows:       m.statementRows.WithLabelValues(key.table, key.kind),
		partitions: m.statementParts.WithLabelValues(key.table, key.kind),
		duration:   m.statementDuration.WithLabelValues(key.table, key.kind),
		roundTrips: m.roundTrips.WithLabelValues(key.kind),
	}
}
