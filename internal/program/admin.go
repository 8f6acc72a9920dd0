package program

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"broadsheet/internal/httpapi"
)

// startAdmin answers probes and serves metrics where --admin-listen says, until it is told to stop:
// while the server drains, too. Profiles are there for this machine alone, which is also who comes
// by kubectl port-forward.
func (c *serveCommand) startAdmin(ctx context.Context, p *program, api *httpapi.API) (stop func(), err error) {
	address := c.Operations.AdminListen
	if address == "" {
		return func() {}, nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s, which --admin-listen names: %w", address, err)
	}
	if c.Auth == authDev && !isLoopback(listener) {
		return nil, errors.Join(fmt.Errorf("--admin-listen %s can be reached from other machines, and --auth dev is for this one: listen on loopback, as in 127.0.0.1:9090", address), listener.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/pprof/", toLoopback(profiles()))
	mux.Handle("/", api.Operators())
	p.log.Info("answering operators", "url", "http://"+listener.Addr().String())
	return c.beside(p, listener, mux), nil
}

// toLoopback answers those alone who ask from this machine.
func toLoopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from, err := netip.ParseAddrPort(r.RemoteAddr); err != nil || !from.Addr().Unmap().IsLoopback() {
			http.Error(w, "profiles are for this machine alone", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
