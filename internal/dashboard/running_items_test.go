package dashboard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// A page of the API has 500 items at most. The slots of a worker are right also if more run elsewhere.
func TestWorkersShowAllRunningItems(t *testing.T) {
	for _, c := range []struct {
		others int
		used   string
		cut    bool
	}{{0, "3 of 4 used", false}, {600, "3 of 4 used", false}, {mostRunningItems, "0 of 4 used", true}} {
		api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch path := strings.TrimPrefix(r.URL.Path, apiPrefix); path {
			case "/auth/session":
				fmt.Fprint(w, `{"name": "ada", "role": "viewer"}`)
			case "/workers":
				fmt.Fprint(w, `{"items": [{"id": 1, "name": "large", "capacity": 9000, "state": "active"}, {"id": 2, "name": "small", "capacity": 4, "state": "active"}]}`)
			case "/items":
				first := c.others + 3
				if before := r.URL.Query().Get("before"); before != "" {
					id, err := strconv.Atoi(before)
					if err != nil {
						t.Error(err)
					}
					first = id - 1
				}
				var items []string
				for id := first; id > 0 && len(items) < 500; id-- {
					worker := 1
					if id <= 3 { // the oldest ones
						worker = 2
					}
					items = append(items, fmt.Sprintf(`{"id": %d, "workerId": %d, "status": "Running", "startedAt": "2026-03-10T09:00:00Z"}`, id, worker))
				}
				next := "null"
				if last := first - len(items); last > 0 {
					next = fmt.Sprintf(`"/api/v1/items?before=%d&limit=500&status=running"`, last+1)
				}
				fmt.Fprintf(w, `{"items": [%s], "next": %s}`, strings.Join(items, ","), next)
			default:
				fmt.Fprint(w, `{"items": []}`)
			}
		})
		d, err := New(Options{API: api, Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		got := httptest.NewRecorder()
		d.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/workers", http.NoBody))
		if text := got.Body.String(); got.Code != http.StatusOK || !strings.Contains(text, c.used) || strings.Contains(text, "the latest 5,000") != c.cut {
			t.Errorf("%d other items: status %d, want %q, cut %v: %.3000s", c.others, got.Code, c.used, c.cut, text[max(len(text)-3000, 0):])
		}
		d.Close()
	}
}

// The page of a worker shows what runs there however many items are assigned to it, and how much that is.
func TestPageOfAWorkerWithManyAssigned(t *testing.T) {
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path, q := strings.TrimPrefix(r.URL.Path, apiPrefix), r.URL.Query(); {
		case path == "/auth/session":
			fmt.Fprint(w, `{"name": "ada", "role": "viewer"}`)
		case path == "/workers/bot":
			fmt.Fprint(w, `{"id": 1, "name": "bot", "capacity": 4, "state": "active"}`)
		case path == "/version":
			fmt.Fprint(w, `{"now": "2026-03-10T09:30:00Z"}`)
		case path == "/stats/workers":
			fmt.Fprint(w, `{"workers": [{"worker": "ann", "assigned": 1}, {"worker": "bot", "assigned": 2000, "expected": "1h0m0s", "freeIn": "15m0s"}]}`)
		case path == "/items" && q.Get("status") == "running":
			fmt.Fprint(w, `{"items": [{"id": 7, "workerId": 1, "pipeline": "old", "status": "Running", "startedAt": "2026-03-10T09:00:00Z"}]}`)
		case path == "/items" && q.Get("status") == "assigned":
			limit, err := strconv.Atoi(q.Get("limit"))
			if err != nil || q.Get("sort") != "-priority" {
				t.Errorf("asked for assigned items with %v", q)
			}
			var items []string
			for id := range limit {
				items = append(items, fmt.Sprintf(`{"id": %d, "workerId": 1, "status": "Assigned", "priority": 1000}`, id+100))
			}
			fmt.Fprintf(w, `{"items": [%s], "next": "/api/v1/items?before=1"}`, strings.Join(items, ","))
		default:
			fmt.Fprint(w, `{"items": []}`)
		}
	})
	d, err := New(Options{API: api, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got := httptest.NewRecorder()
	d.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/workers/bot", http.NoBody))
	for _, want := range []string{`href="/items/7"`, "1 of 4 slots", "the 100 with the highest priority", "1 h of work, 2,000 items of it assigned; free in about 15 min"} {
		if text := got.Body.String(); got.Code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("status %d, want %q in %.6000s", got.Code, want, text)
		}
	}
}
