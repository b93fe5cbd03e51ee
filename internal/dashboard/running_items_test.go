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
