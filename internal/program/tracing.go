package program

import (
	"context"
	"time"

	"broadsheet/internal/httpapi"
	"broadsheet/internal/tracing"
)

// flushTimeout is how long the last traces may take to leave, once all else has ended.
const flushTimeout = 5 * time.Second

// dbSystems are the stores' names in traces: OpenTelemetry's db.system.name.
var dbSystems = map[string]string{StoreEmbedded: "pebble", StoreCassandra: "cassandra"}

// configure sets the API's configuration as the flags say. closeTraces sends those that are left.
func (f *operationsFlags) configure(ctx context.Context, p *program, config *httpapi.Config) (closeTraces func(), err error) {
	config.TrustedProxies, config.ProxyProtocol, config.OperatorsApart = f.trusted, f.ProxyProtocol, f.AdminListen != ""
	config.LogEvery = f.LogEvery
	if f.Tracing == "off" {
		return func() {}, nil
	}
	traces, err := tracing.Start(ctx, build().Main.Version, p.log)
	if err != nil {
		return nil, err
	}
	config.Tracer, config.StoreSystem = traces.Tracer(), dbSystems[p.store.Store]
	return func() { traces.Close(flushTimeout) }, nil
}
