package program

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"

	"broadsheet/internal/httpapi"
)

// startProfiling serves Go's profiles (net/http/pprof) where --pprof-listen says, on
// loopback and nowhere else: a profile shows what the program holds, and costs what
// it takes. stop ends it; profiles that are being taken are cut off.
func (c *serveCommand) startProfiling(ctx context.Context, p *program) (stop func(), err error) {
	if c.Operations.PprofListen == "" {
		return func() {}, nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", c.Operations.PprofListen)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s, which --pprof-listen names: %w", c.Operations.PprofListen, err)
	}
	if !isLoopback(listener) {
		_ = listener.Close()
		return nil, fmt.Errorf("--pprof-listen %s can be reached from other machines, and profiles are for nobody else: listen on loopback, as in 127.0.0.1:6060", c.Operations.PprofListen)
	}
	p.log.Info("profiling", "url", "http://"+listener.Addr().String()+"/debug/pprof/")
	return c.beside(p, listener, profiles()), nil
}

// beside answers on another listener than clients are answered on, until it is told to stop.
func (c *serveCommand) beside(p *program, listener net.Listener, handler http.Handler) (stop func()) {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: c.Limits.HeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // it ends by stop alone
	}()
	return func() {
		_ = server.Close() // nothing of it is left to save
		<-ended
	}
}

// profiles leaves out the command line, which may hold a password.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpapi.NamesLoopback(r.Host) { // of a page whose name was made to point here
			http.Error(w, "the Host header names another host", http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func isLoopback(l net.Listener) bool {
	address, ok := l.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}
