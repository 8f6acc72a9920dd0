package program

import (
	"context"
	"net/http"
	"net/http/pprof"
	"sync"

	"broadsheet/internal/httpapi"
)

// startAdmin answers probes and serves metrics and profiles where --admin-listen says, until it is stopped: while the
// server drains, too.
func (c *serveCommand) startAdmin(ctx context.Context, p *program, api *httpapi.API) (stop func(), err error) {
	address := c.Operations.AdminListen
	if address == "" {
		return func() {}, nil
	}
	listener, err := c.listen(ctx, "--admin-listen", address, 9090)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/pprof/", profiles())
	mux.Handle("/", api.Operators())
	p.log.Info("answering operators", "url", "http://"+listener.Addr().String())
	server := c.server(mux, p.log)
	server.ReadTimeout, server.WriteTimeout = 0, 0 // a profile takes as long as it is asked for
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // it ends by stop alone
	return func() {
		_ = server.Close() // nothing of it is left to save
		serving.Wait()
	}, nil
}

// profiles answers this machine alone, and so kubectl port-forward, with Go's profiles ([net/http/pprof]), but not with
// the command line, which may hold a password.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpapi.NamesLoopback(r.RemoteAddr) {
			http.Error(w, "profiles are for this machine alone", http.StatusForbidden)
			return
		}
		if !httpapi.NamesLoopback(r.Host) { // of a page whose name was made to point here
			http.Error(w, "the Host header names another host", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
