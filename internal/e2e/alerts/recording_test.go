package alerts

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// recording is what a Prometheus that scrapes a server gets to see while something happens to it.
type recording struct {
	t       *testing.T
	name    string
	every   time.Duration       // between two scrapes
	get     func() string       // the server's metrics, or nothing
	began   time.Time           // the samples' time zero
	scrapes int                 // so far
	series  map[string][]string // a sample of each scrape
	wants   strings.Builder
}

// Of what a server has, those that the rules read.
var (
	words  = regexp.MustCompile(`broadsheet_\w+`)
	sample = regexp.MustCompile(`(?m)^(broadsheet_\w+)(?:\{(.*)\})? (\S+)$`)
)

func record(t *testing.T, name string, every time.Duration, get func() string) *recording {
	return &recording{t: t, name: name, every: every, get: get, began: time.Now(), series: map[string][]string{}}
}

// during records for a time.
func (r *recording) during(lasts time.Duration) {
	r.t.Helper()
	read := rules(r.t)
	for end := r.scrapes + int(lasts/r.every); r.scrapes < end; r.scrapes++ {
		time.Sleep(time.Until(r.began.Add(time.Duration(r.scrapes) * r.every)))
		now, up := map[string]string{}, "0"
		for _, m := range sample.FindAllStringSubmatch(r.get(), -1) {
			up = "1"
			if slices.Contains(read, m[1]) {
				now[fmt.Sprintf(`%s{%s}`, m[1], strings.Join(append(labels(m[2]), `job="broadsheet"`, `instance="a"`), ","))] = r.since(m[1], m[3])
			}
		}
		now[`up{job="broadsheet",instance="a"}`] = up
		for name := range now {
			if r.series[name] == nil {
				r.series[name] = slices.Repeat([]string{"_"}, r.scrapes)
			}
		}
		for name, samples := range r.series {
			value, is := now[name]
			if !is { // a Prometheus marks the first that is missing
				value = "stale"
				if last := samples[len(samples)-1:]; len(last) == 0 || last[0] == "stale" || last[0] == "_" {
					value = "_"
				}
			}
			r.series[name] = append(samples, value)
		}
	}
}

// Alerts that fire, and that fired before too.
const (
	firing = `group by (alertname, node) (ALERTS{alertstate="firing"})`
	fired  = `group by (alertname, node) (last_over_time(ALERTS{alertstate="firing"}[1d]))`
)

// want says which alerts have to be there after the last scrape, each with the node that it names or none.
func (r *recording) want(expr string, alerts ...string) {
	fmt.Fprintf(&r.wants, "      - expr: '%s'\n        eval_time: %v\n        exp_samples:", expr, time.Duration(r.scrapes-1)*r.every)
	if len(alerts) == 0 {
		r.wants.WriteString(" []")
	}
	r.wants.WriteString("\n")
	for _, alert := range alerts {
		name, node, of := strings.Cut(alert, " ")
		if of {
			node = fmt.Sprintf(",node=%q", node)
		}
		fmt.Fprintf(&r.wants, "          - {labels: '{alertname=\"Broadsheet%s\"%s}', value: 1}\n", name, node)
	}
}

// since returns a sample as it is, or a moment as seconds after the first scrape.
func (r *recording) since(name, value string) string {
	moment, err := strconv.ParseFloat(value, 64)
	if err != nil || !strings.HasSuffix(name, "_timestamp_seconds") {
		return value
	}
	return strconv.FormatInt(int64(moment)-r.began.Unix(), 10)
}

func labels(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// rules returns the names of the metrics that the rules read.
func rules(t *testing.T) []string {
	text, err := os.ReadFile("deploy/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	return words.FindAllString(string(text), -1)
}

// test writes the recording as promtool reads it.
func (r *recording) test() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - name: %s\n    interval: %v\n    input_series:\n", r.name, r.every)
	for _, name := range slices.Sorted(maps.Keys(r.series)) {
		fmt.Fprintf(&b, "      - {series: '%s', values: '%s'}\n", name, repeated(r.series[name]))
	}
	return b.String() + "    promql_expr_test:\n" + r.wants.String()
}

// repeated writes samples in promtool's notation: 1x3 is a sample and three like it.
func repeated(samples []string) string {
	var runs []string
	for i := 0; i < len(samples); {
		n := i
		for n < len(samples) && samples[n] == samples[i] {
			n++
		}
		switch more := n - i - 1; {
		case samples[i] == "_" && more > 0:
			runs = append(runs, fmt.Sprintf("_x%d", more+1))
		case more > 0:
			runs = append(runs, fmt.Sprintf("%sx%d", samples[i], more))
		default:
			runs = append(runs, samples[i])
		}
		i = n
	}
	return strings.Join(runs, " ")
}

// scraped returns what gets a server's metrics, which may be another one after a while.
func scraped(url func() string) func() string {
	client := &http.Client{Timeout: 10 * time.Second}
	return func() string {
		response, err := client.Get(url() + "/metrics")
		if err != nil {
			return ""
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			return ""
		}
		return string(text)
	}
}
