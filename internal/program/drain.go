package program

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"broadsheet/internal/httpapi"
	"broadsheet/internal/httpapi/limit"
)

// leave gives load balancers time to turn to other servers: /readyz says no, and requests are still answered.
func (c *serveCommand) leave(p *program, api *httpapi.API, ended <-chan error) error {
	if c.Operations.DrainDelay == 0 {
		return nil
	}
	p.log.Info("leaving: /readyz says no, requests are still answered", "for", c.Operations.DrainDelay)
	api.Leave()
	select {
	case <-time.After(c.Operations.DrainDelay):
		return nil
	case err := <-ended:
		return err
	}
}

// drain stops accepting and waits for what is in flight, but not for ever. Subscriptions end. Connections stay open
// meanwhile, so that a request on one is refused by SHUTTING_DOWN and not by a reset.
func (c *serveCommand) drain(p *program, api *httpapi.API, listener net.Listener, server *http.Server) error {
	p.log.Info("shutting down: finishing what is in flight", "at_most", c.limits.Time(limit.ShutdownTime))
	ctx, cancel := context.WithTimeout(context.Background(), c.limits.Time(limit.ShutdownTime))
	defer cancel()
	api.Drain()
	if err := listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		p.log.Warn("closing the listener", "error", err)
	}
	api.Drained(ctx)
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, net.ErrClosed) { // that is the listener
		p.log.Warn("requests were cut off: they took longer than the limit shutdown_time")
		return server.Close()
	}
	return nil
}
