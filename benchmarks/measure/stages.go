package measure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Stages are what a server does for a request, in the order in which it does so. A sample of a profile belongs to
// the stage of its innermost function that a stage names: what a function asks of the standard library is its own.
var Stages = []string{"HTTP", "handler", "who asks", "limits", "document", "resolve", "encode", "store", "driver", "decode", "record", "collector", "scheduler"}

// stageOf is the stage of functions whose names begin so; the longest beginning counts. Names are as a profile
// has them, with the package's path.
var stageOf = map[string]string{
	"net/http.": "HTTP", "compress/": "HTTP",
	"broadsheet/internal/httpapi": "handler", "broadsheet/internal/program.": "handler",

	"broadsheet/internal/identity":                     "who asks",
	"broadsheet/internal/httpapi.(*API).authenticated": "who asks",
	"broadsheet/internal/httpapi/peer":                 "who asks",
	"broadsheet/resolvers.(*Resolver).viewer":          "who asks",

	"broadsheet/internal/httpapi/limit":           "limits",
	"broadsheet/internal/httpapi.(*API).shedding": "limits",
	"broadsheet/internal/httpapi.(*API).guarded":  "limits",
	"broadsheet/internal/httpapi.inTurn":          "limits",
	"broadsheet/internal/client":                  "limits",
	"broadsheet/internal/pace":                    "limits",
	"broadsheet/internal/slots":                   "limits",
	"golang.org/x/time/rate":                      "limits",

	"broadsheet/internal/httpapi/document": "document",
	"broadsheet/internal/httpapi/coerce":   "document",
	"github.com/vektah/gqlparser":          "document",
	"github.com/99designs/gqlgen":          "document",

	"broadsheet/resolvers":         "resolve",
	"broadsheet/blog":              "resolve",
	"broadsheet/internal/decorate": "resolve",
	"broadsheet/internal/coalesce": "resolve",
	"broadsheet/internal/recent":   "resolve",
	"github.com/graph-gophers":     "resolve",
	"github.com/hashicorp":         "resolve",

	"broadsheet/graph":          "encode",
	"broadsheet/internal/relay": "encode",

	"broadsheet/cassandra":         "store",
	"broadsheet/embedded":          "store",
	"github.com/cockroachdb":       "store",
	"github.com/gocql/gocql":       "driver",
	"github.com/golang/snappy":     "driver",
	"broadsheet/cassandra/cluster": "driver",

	"github.com/gocql/gocql.Unmarshal":   "decode",
	"github.com/gocql/gocql.unmarshal":   "decode",
	"github.com/gocql/gocql.(*Iter).":    "decode",
	"broadsheet/cassandra/cql.(*Row":     "decode",
	"broadsheet/cassandra/tables.(*Row":  "decode",
	"broadsheet/embedded.decode":         "decode",
	"broadsheet/embedded.cells.":         "decode",
	"encoding/gob":                       "decode",
	"broadsheet/internal/httpapi/record": "record", "broadsheet/internal/tracing": "record", "log/slog": "record",
	"github.com/prometheus": "record", "go.opentelemetry.io": "record",

	"runtime.gcBgMarkWorker": "collector", "runtime.bgsweep": "collector", "runtime.bgscavenge": "collector", "runtime.gcStart": "collector",
}

var beginnings = func() []string {
	all := make([]string, 0, len(stageOf))
	for beginning := range stageOf {
		all = append(all, beginning)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all
}()

// stageOfFunction returns a function's stage; empty: its caller's.
func stageOfFunction(name string) string {
	for _, beginning := range beginnings {
		if strings.HasPrefix(name, beginning) {
			return stageOf[beginning]
		}
	}
	return ""
}

// stageOfSample returns a sample's stage. What no named function asks for is the scheduler's: goroutines that are
// parked, woken and chosen, timers, and the network's poller.
func stageOfSample(sample *profile.Sample) string {
	for _, location := range sample.Location { // the innermost first
		for _, line := range location.Line {
			if line.Function == nil {
				continue
			}
			if stage := stageOfFunction(line.Function.Name); stage != "" {
				return stage
			}
		}
	}
	return "scheduler"
}

// byStage returns what each stage has of a profile's value, since an earlier profile; nil: since it began.
func byStage(since, of *profile.Profile, value string) map[string]float64 {
	all := map[string]float64{}
	for sign, p := range map[float64]*profile.Profile{-1: since, 1: of} {
		if p == nil {
			continue
		}
		at := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == value })
		for _, sample := range p.Sample {
			all[stageOfSample(sample)] += sign * float64(sample.Value[at])
		}
	}
	return all
}

// shares returns which part of the sum each stage has.
func shares(all map[string]float64) map[string]float64 {
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	for stage := range all {
		all[stage] /= max(sum, 1)
	}
	return all
}
