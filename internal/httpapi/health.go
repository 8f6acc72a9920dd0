package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"broadsheet/blog"
)

// readyPatience is how long /readyz waits for the store: less than what probes usually wait.
const readyPatience = 2 * time.Second

func (a *API) livez(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w, http.StatusOK, map[string]bool{"live": true}) // which knows nothing of being ready
}

func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	if reason := a.unready(r.Context()); reason != "" {
		writeHealth(w, http.StatusServiceUnavailable, health{Live: true, Reason: reason})
		return
	}
	h := health{Live: true, Ready: true}
	if store := a.state.Load().store; store != nil {
		upkeep := store.Upkeep()
		h.Newer, h.Unbuilt = upkeep.Newer, upkeep.Unbuilt
	}
	writeHealth(w, http.StatusOK, h)
}

// unready returns why requests should go elsewhere, empty where they need not.
func (a *API) unready(ctx context.Context) string {
	s := a.state.Load()
	if s.refusal != nil {
		return s.refusal.Message
	}
	if a.leaving.Load() {
		return "the server is about to shut down"
	}
	if tokens := a.config.Tokens; tokens != nil {
		if err := tokens.Ready(); err != nil {
			return Reason(err)
		}
	}
	// However many ask, one after the other asks the store.
	reason, err := s.asked.Do(ctx, struct{}{}, func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, readyPatience)
		defer cancel()
		err := s.store.Ready(ctx)
		if err == nil {
			return "", nil
		}
		if !blog.IsLogged(err) {
			a.config.Log.WarnContext(ctx, "the store is not ready", "error", err)
		}
		return Reason(err), nil
	})
	if err != nil {
		return Reason(err)
	}
	return reason
}

// Reason returns what every client may see of why a store does not answer. Causes,
// which name hosts and drivers, are for the log.
func Reason(err error) string {
	var known *blog.Error
	if errors.As(err, &known) {
		return cmp.Or(known.Message, known.Kind.String())
	}
	return "the store does not answer"
}

type health struct {
	Live   bool   `json:"live"`
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"`
	Newer  string `json:"newer,omitempty"` // what a newer program left that this one does not know

	Unbuilt []blog.Table `json:"unbuilt,omitempty"`
}

func writeHealth(w http.ResponseWriter, status int, h any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(h)
}
