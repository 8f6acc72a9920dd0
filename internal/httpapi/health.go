package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"broadsheet/blog"
	"broadsheet/internal/httpapi/record"
)

// readyPatience is how long /readyz waits for the store: less than what probes usually wait.
const readyPatience = 2 * time.Second

func (a *API) livez(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w, http.StatusOK, map[string]bool{"live": true}) // which knows nothing of being ready
}

func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	reasons := a.standing(r.Context())
	if reasons.unready != "" {
		writeHealth(w, http.StatusServiceUnavailable, health{Live: true, Reason: reasons.unready})
		return
	}
	h := health{Live: true, Ready: true, WritesRefused: reasons.writesRefused}
	if store := a.state.Load().store; store != nil {
		upkeep := store.Upkeep()
		h.Newer, h.Unbuilt = upkeep.Newer, upkeep.Unbuilt
	}
	writeHealth(w, http.StatusOK, h)
}

// reasons are why requests should go elsewhere, and why none writes though others are answered; empty where there is none.
type reasons struct{ unready, writesRefused string }

// shown is what the metrics show of the server. A panic, in a goroutine of the registry's, is no end of the program.
func (a *API) shown() record.State {
	s := a.state.Load()
	now := record.State{Store: s.store, Live: s.live, Waiting: a.gate.waiting.Load(), Keys: a.config.Tokens}
	_ = blog.Safely(func() error { // else it is not ready
		standing := a.standing(context.Background())
		now.Ready, now.WritesRefused = standing.unready == "", standing.writesRefused != ""
		return nil
	})
	return now
}

// standing finds out whether requests are answered, and those that write.
func (a *API) standing(ctx context.Context) (now reasons) {
	s := a.state.Load()
	if s.refusal != nil {
		return reasons{unready: s.refusal.Message}
	}
	if a.leaving.Load() {
		return reasons{unready: "the server is about to shut down"}
	}
	if tokens := a.config.Tokens; tokens != nil {
		if err := tokens.Ready(); err != nil {
			if last, _, _, _ := tokens.Fetches(); last.IsZero() { // it has not begun to take tokens
				return reasons{unready: Reason(err)}
			}
			now.writesRefused = Reason(err)
		}
	}
	// However many ask, one after the other asks the store.
	store, err := s.asked.Do(ctx, struct{}{}, func(ctx context.Context) (now reasons, err error) {
		ctx, cancel := context.WithTimeout(ctx, readyPatience)
		defer cancel()
		if now.unready = a.reason(ctx, "the store is not ready", s.store.Ready(ctx)); now.unready == "" {
			now.writesRefused = a.reason(ctx, "the store refuses commands", s.store.Writable(ctx))
		}
		return now, nil
	})
	if err != nil {
		return reasons{unready: Reason(err)}
	}
	return reasons{store.unready, cmp.Or(store.writesRefused, now.writesRefused)}
}

// reason logs an error and returns its reason; empty where there is none.
func (a *API) reason(ctx context.Context, what string, err error) string {
	if err == nil {
		return ""
	}
	a.config.Log.WarnContext(ctx, what, "error", err)
	return Reason(err)
}

// Reason returns what every client may see of why a store does not answer. Causes, which name hosts, are for the log.
func Reason(err error) string {
	var known *blog.Error
	if errors.As(err, &known) {
		return cmp.Or(known.Message, known.Kind.String())
	}
	return "the store does not answer"
}

type health struct {
	Live          bool   `json:"live"`
	Ready         bool   `json:"ready"`
	Reason        string `json:"reason,omitempty"`
	WritesRefused string `json:"writesRefused,omitempty"` // why nothing is written, while reads are answered

	Newer string `json:"newer,omitempty"` // what a newer program left that this one does not know

	Unbuilt []blog.Table `json:"unbuilt,omitempty"`
}

func writeHealth(w http.ResponseWriter, status int, h any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(h)
}
