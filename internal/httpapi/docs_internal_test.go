package httpapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace/noop"

	"broadsheet/embedded"
)

const (
	operations = "../../docs/operations.md"
	alerts     = "../../deploy/alerts.yml"
	runbooks   = "../../deploy/runbooks.md"
	dashboard  = "../../deploy/grafana.json"
	backups    = "../../deploy/backup.sh"
)

func page(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	described = regexp.MustCompile(`fqName: "(broadsheet_\w+)".*variableLabels: \{([^}]*)\}`)
	metricRow = regexp.MustCompile("(?m)^\\| `(broadsheet_\\w+)` \\| ([^|]*)\\|")
	metric    = regexp.MustCompile(`\bbroadsheet_[a-z_]+`)
	series    = regexp.MustCompile(`_(bucket|count|sum)$`)
	note      = regexp.MustCompile(`(?m)^\tnote (\w+)$`)
	word      = regexp.MustCompile("`(\\w+)`")
)

// keyed are tokens that keys judge which change.
type keyed struct{ DevTokens }

func (keyed) Fetches() (last time.Time, ok, failed uint64, changing bool) { return last, 0, 0, true }

// The page has a row for each metric that /metrics can show, with its labels; neither it nor what
// operators load names another but those that backups note.
func TestOperationsPageNamesTheMetrics(t *testing.T) {
	a := New(Config{Tokens: keyed{}})
	labels := map[string][]string{}
	descs := make(chan *prometheus.Desc)
	go func() {
		defer close(descs)
		a.metrics.Registry.Describe(descs)
	}()
	for desc := range descs {
		if found := described.FindStringSubmatch(desc.String()); found != nil {
			labels[found[1]] = slices.DeleteFunc(strings.Split(found[2], ","), func(l string) bool { return l == "" })
		}
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (broadsheet_\w+)`).FindAllStringSubmatch(w.Body.String(), -1) {
		if _, ok := labels[line[1]]; !ok {
			t.Errorf("/metrics shows %s, which the registry does not describe", line[1])
		}
	}

	rows := map[string]bool{}
	for _, row := range metricRow.FindAllStringSubmatch(page(t, operations), -1) {
		rows[row[1]] = true
		var said []string
		for _, label := range word.FindAllStringSubmatch(row[2], -1) {
			said = append(said, label[1])
		}
		if !slices.Equal(said, labels[row[1]]) {
			t.Errorf("%s: %s has the labels %v, and the page says %v", operations, row[1], labels[row[1]], said)
		}
	}
	for name := range labels {
		if !rows[name] {
			t.Errorf("%s lacks %s: give it a row", operations, name)
		}
	}
	for _, noted := range note.FindAllStringSubmatch(page(t, backups), -1) { // for node_exporter
		labels["broadsheet_"+noted[1]+"_timestamp_seconds"] = nil
	}
	for _, file := range []string{operations, alerts, runbooks, dashboard} {
		for _, name := range metric.FindAllString(page(t, file), -1) {
			if _, ok := labels[name]; !ok {
				if _, ok := labels[series.ReplaceAllString(name, "")]; !ok {
					t.Errorf("%s names %s, which is no metric", file, name)
				}
			}
		}
	}
}

// The page's table of the access log has each field of a line, and no other.
func TestOperationsPageNamesTheFieldsOfTheLog(t *testing.T) {
	var log bytes.Buffer
	a := New(Config{Log: slog.New(slog.NewJSONHandler(&log, nil)), Tracer: noop.NewTracerProvider().Tracer(""), Tokens: DevTokens{}})
	store, err := embedded.InMemory(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	a.Serve(store)
	r := httptest.NewRequest("GET", "/graphql?query={__typename}", nil)
	r.Header.Set("Accept", mediaEvents) // a line of HTTP's own answers has no transport
	r.Header.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	a.ServeHTTP(httptest.NewRecorder(), r)
	wrong := httptest.NewRequest("POST", "/graphql", strings.NewReader(`{"query": "mutation {createUser(input: {username: \"\"}) {userErrors {code}}}"}`))
	wrong.Header.Set("Content-Type", mediaJSON)
	wrong.Header.Set("Authorization", "Bearer alice")
	a.ServeHTTP(httptest.NewRecorder(), wrong) // only such a line has user_errors
	line := map[string]any{}
	for text := range strings.Lines(log.String()) {
		if err := json.Unmarshal([]byte(text), &line); err != nil { // added to what is there
			t.Fatalf("%s: %v", text, err)
		}
	}
	_, table, _ := strings.Cut(page(t, operations), "\n| field | holds |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	said := map[string]bool{}
	for row := range strings.Lines(table) {
		fields, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for _, field := range word.FindAllStringSubmatch(fields, -1) {
			said[field[1]] = true
		}
	}
	if got, want := slices.Sorted(maps.Keys(said)), slices.Sorted(maps.Keys(line)); !slices.Equal(got, want) {
		t.Errorf("%s names the fields %v, a line has %v", operations, got, want)
	}
}
