package scoring_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"botwork/workqueue/matching"
	"botwork/workqueue/scoring"
)

// service is a scoring service for one test.
func service(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// ruleFor returns a rule that calls the service at the address; more are further keys of
// its scoring, with a comma before them.
func ruleFor(t *testing.T, address, more string) (matching.Rule, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	s := scoring.Services{Log: zerolog.New(&log), Secrets: func(name string) (string, bool) { return "hunter2", name == "scorer" }}
	r, err := s.New(parse(t, `{"rule": "http", "http": {"url": "`+address+`?site=hunter2", "timeout": "5s", "fallback": -1,
		"headers": {"Authorization": {"secret": "scorer", "prefix": "Bearer "}, "X-Site": "lisbon"}}`+more+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return r, &log
}

func TestHTTPSendsEachWorker(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	address := service(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var sent struct{ Worker map[string]any }
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Error(err)
		}
		got := []string{r.Method, r.URL.RawQuery, r.Header.Get("Authorization"), r.Header.Get("X-Site"), r.Header.Get("Content-Type")}
		if diff := cmp.Diff([]string{"POST", "site=hunter2", "Bearer hunter2", "lisbon", "application/json"}, got); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
		mu.Lock()
		bodies = append(bodies, string(body))
		mu.Unlock()
		fmt.Fprint(w, sent.Worker["n"])
	})
	r, log := ruleFor(t, address, "")
	texts := make([]string, 30)
	want := make([]float64, 30)
	for i := range texts {
		texts[i], want[i] = fmt.Sprintf(`{"n": %d}`, i), float64(i)
	}
	got, err := r.Scores(t.Context(), xbox(t), labels(t, texts...))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("scores: %v (-want +got):\n%s", err, diff)
	}
	if len(bodies) != 30 || log.Len() > 0 {
		t.Errorf("%d requests, logged %s; want 30 and an empty log", len(bodies), log)
	}
	const first = `{"job":{"product":"xbox","urgent":true},"selectors":[{"expedite":false,"key":"ram","operator":"greaterThanOrEqual","value":10},` +
		`{"expedite":false,"key":"site","operator":"notEqual","value":"faro"}],"worker":{"n":0}}`
	if !slices.Contains(bodies, first) {
		t.Errorf("bodies = %v, want %s among them", bodies, first)
	}
}

func TestHTTPSendsBatches(t *testing.T) {
	var mu sync.Mutex
	var sizes []int
	address := service(t, func(w http.ResponseWriter, r *http.Request) {
		var sent map[string]any
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		if len(sent) != 1 {
			t.Errorf("sent %v, want only the workers", sent)
		}
		workers := sent["workers"].([]any)
		scores := make([]any, len(workers))
		for i, worker := range workers {
			scores[i] = worker.(map[string]any)["n"]
		}
		mu.Lock()
		sizes = append(sizes, len(workers))
		mu.Unlock()
		_ = json.NewEncoder(w).Encode(scores)
	})
	r, _ := ruleFor(t, address, `, "batch": true, "batchSize": 2, "send": []`)
	got, err := r.Scores(t.Context(), xbox(t), labels(t, `{"n": 5}`, `{"n": 0.5}`, `{"n": -3}`, `{"n": 4}`, `{"n": 1}`))
	if diff := cmp.Diff([]float64{5, 0.5, -3, 4, 1}, got); err != nil || diff != "" {
		t.Errorf("scores: %v (-want +got):\n%s", err, diff)
	}
	if slices.Sort(sizes); !slices.Equal(sizes, []int{1, 2, 2}) {
		t.Errorf("sizes of the batches = %v, want 1, 2 and 2", sizes)
	}
}

// For every fault in an answer, the fallback score is used, and one line without
// secrets is logged.
func TestHTTPFallsBack(t *testing.T) {
	elsewhere := service(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was redirected") })
	for _, test := range []struct {
		name   string
		more   string
		answer http.HandlerFunc
		logged string
	}{
		{"a status", "", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "hunter2", http.StatusTeapot) }, "got status 418 I'm a teapot, want 200 OK"},
		{"a redirect", "", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		},
			"got status 307 Temporary Redirect, want 200 OK"},
		{"no JSON", "", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "NaN") }, "the answer is not JSON"},
		{"infinity", "", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "1e999") }, "the answer is not JSON"},
		{"a text", "", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `"hunter2"`) }, "got a text, want a finite number"},
		{"a list for one", "", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[1]`) }, "got a list, want a finite number"},
		{"a number for a batch", `, "batch": true`, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `1`) }, "got 1, want a list of 3 numbers"},
		{"too few", `, "batch": true`, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[1, 2]`) }, "got 2 scores for 3 workers"},
		{"null among them", `, "batch": true`, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[1, null, 2]`) },
			"got nothing as score 2, want a finite number"},
		{"a flood", "", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte(" "), 2<<20)) },
			"the answer is larger than 1048576 bytes"},
		{"a line that is cut", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "1")
		}, "unexpected EOF"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, log := ruleFor(t, service(t, test.answer), test.more)
			for range 2 {
				got, err := r.Scores(t.Context(), xbox(t), labels(t, `{"a": 1}`, `{"a": 2}`, `{}`))
				if diff := cmp.Diff([]float64{-1, -1, -1}, got); err != nil || diff != "" {
					t.Errorf("scores: %v (-want +got):\n%s", err, diff)
				}
			}
			text := log.String()
			if strings.Count(text, "\n") != 1 || !strings.Contains(text, test.logged) || strings.Contains(text, "hunter2") {
				t.Errorf("the log is %s, want one line with %q and no secret", text, test.logged)
			}
		})
	}
}

// A worker that a service cannot score does not affect the others.
func TestHTTPFallsBackForOne(t *testing.T) {
	address := service(t, func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte(`"bad":true`)) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, 3)
	})
	r, _ := ruleFor(t, address, "")
	got, err := r.Scores(t.Context(), xbox(t), labels(t, `{}`, `{"bad": true}`, `{}`))
	if diff := cmp.Diff([]float64{3, -1, 3}, got); err != nil || diff != "" {
		t.Errorf("scores: %v (-want +got):\n%s", err, diff)
	}
}

// A service that does not answer costs a pass one timeout, not one for each
// worker; without a fallback score the default score is used.
func TestHTTPTimeout(t *testing.T) {
	var requests atomic.Int32
	release := make(chan struct{})
	address := service(t, func(http.ResponseWriter, *http.Request) {
		requests.Add(1)
		<-release
	})
	defer close(release)
	r, log := rule(t, `{"rule": "http", "http": {"url": "`+address+`", "timeout": "30ms"}, "batch": true, "batchSize": 1, "send": ["labels"]}`)
	workers := labels(t, slices.Repeat([]string{`{"product": "xbox"}`}, 100)...)
	started := time.Now()
	for range 3 {
		got, err := r.Scores(t.Context(), xbox(t), workers)
		if want := slices.Repeat([]float64{0.5}, 100); err != nil || !slices.Equal(got, want) {
			t.Errorf("scores = %v, %v, want the default score", got, err)
		}
	}
	if n := requests.Load(); n > 8 {
		t.Errorf("%d requests, want no more than the concurrency", n)
	}
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("it took %v, want about one timeout", took)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "no answer within 30ms") {
		t.Errorf("the log is %s", text)
	}
}

func TestHTTPWithoutServer(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	r, log := ruleFor(t, server.URL, "")
	got, err := r.Scores(t.Context(), xbox(t), labels(t, `{}`))
	if err != nil || !slices.Equal(got, []float64{-1}) || strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "refused") {
		t.Errorf("scores = %v, %v; logged %s", got, err, log)
	}
}

func TestHTTPStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address := service(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client has disconnected
		<-r.Context().Done()
	})
	r, _ := ruleFor(t, address, "")
	if _, err := r.Scores(ctx, xbox(t), labels(t, `{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want the context's error", err)
	}
}

func TestHTTPMissingSecret(t *testing.T) {
	sc := parse(t, `{"rule": "http", "http": {"url": "http://x.test", "headers": {"X": {"secret": "gone"}}}}`)
	for _, s := range []scoring.Services{{}, {Secrets: func(string) (string, bool) { return "", false }}} {
		const want = `http.headers.X: the settings have no secret "gone"`
		if _, err := s.New(sc); err == nil || err.Error() != want {
			t.Errorf("err = %v, want %s", err, want)
		}
	}
}
