package api

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"botwork/workqueue/access"
)

// readyTimeout bounds the question to the database whether it answers.
const readyTimeout = 3 * time.Second

// health is the answer of /livez and /readyz.
type health struct {
	Status string            `json:"status"` // ok or failed
	Checks map[string]string `json:"checks"` // ok, or the reason, by name
}

// registerHealth adds what monitors call. Without a token these say only whether the process
// works.
func (a *API) registerHealth() {
	a.mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		writeHealth(w, health{Status: "ok", Checks: map[string]string{"process": "ok"}})
	})
	a.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { writeHealth(w, a.readiness.get(r.Context(), a.ready)) })
	if a.metrics != nil {
		a.mux.HandleFunc("GET /metrics", a.plain(operation{
			id: "metrics-get", method: http.MethodGet, path: "/metrics", summary: "Get the figures of this process and of the queues for Prometheus", needs: access.Viewer,
			doc: "Prometheus finds them at /metrics, too.",
		}, "text/plain", a.metrics.ServeHTTP))
	}
}

// ready reports whether the server can answer requests: the database answers, and the server is
// not shutting down.
func (a *API) ready(ctx context.Context) health {
	h := health{Status: "ok", Checks: map[string]string{"database": "ok", "server": "ok"}}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if _, err := a.store.Now(ctx); err != nil {
		a.log.Warn().Err(err).Msg("not ready: the database does not answer")
		h.Status, h.Checks["database"] = "failed", "the database does not answer; the log has the reason"
	}
	select {
	case <-a.draining:
		h.Status, h.Checks["server"] = "failed", "the server is shutting down"
	default:
	}
	return h
}

// readiness lets requests at the same time share one question to the database: the number of requests of
// monitors has no limit.
type readiness struct {
	mu     sync.Mutex
	asking *readinessAnswer // nil: no request asks
}

type readinessAnswer struct {
	done   chan struct{} // closed when health is set
	health health
}

// get returns what ask returns, or what it returns to another caller.
func (r *readiness) get(ctx context.Context, ask func(context.Context) health) health {
	r.mu.Lock()
	answer, mine := r.asking, false
	if answer == nil {
		answer, mine = &readinessAnswer{done: make(chan struct{})}, true
		r.asking = answer
	}
	r.mu.Unlock()
	if mine {
		answer.health = ask(context.WithoutCancel(ctx)) // the others wait for it, too
		r.mu.Lock()
		r.asking = nil
		r.mu.Unlock()
		close(answer.done)
	}
	<-answer.done
	return answer.health
}

func writeHealth(w http.ResponseWriter, h health) {
	w.Header().Set("Content-Type", "application/json")
	if h.Status != "ok" {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(h)
}
