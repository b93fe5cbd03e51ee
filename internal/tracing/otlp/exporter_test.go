package otlp_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"botwork/internal/tests/testbuild"
	"botwork/internal/tracing"
	"botwork/internal/tracing/otlp"
	"botwork/internal/tracing/tracetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, url string, log *testbuild.Output) *otlp.Exporter {
	t.Helper()
	e, err := otlp.Start(t.Context(), otlp.Options{
		URL: url + "/v1/traces", Headers: map[string]string{"Authorization": "Bearer abc"}, Sample: 1, Worker: "w1", Version: "1.2.3", Log: zerolog.New(log),
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// work makes n traces of two spans.
func work(t *testing.T, e *otlp.Exporter, n int) {
	t.Helper()
	ctx := e.Context(t.Context())
	for range n {
		ctx, item := tracing.Root(ctx, "item")
		_, step := tracing.Child(ctx, "step")
		step.Text("botwork.step", "load")
		step.Fail("timeout")
		step.End()
		item.Int("botwork.item.id", 7)
		item.End()
	}
}

func TestSpansArrive(t *testing.T) {
	c := tracetest.Start(t)
	log := testbuild.NewOutput()
	e := start(t, c.URL, log)
	work(t, e, 1000)
	e.Stop(t.Context())
	spans := c.Spans()
	if len(spans) != 2000 || e.Lost() != 0 || log.String() != "" {
		t.Fatalf("got %d spans, %d are lost, want 2000 and 0\n%s", len(spans), e.Lost(), log.String())
	}
	byID := map[string]tracetest.Span{}
	for _, s := range spans {
		byID[s.ID] = s
	}
	for _, s := range spans {
		parent := byID[s.Parent]
		step := s.Name == "step" && parent.Name == "item" && parent.Trace == s.Trace && s.Failed && s.Attributes["botwork.step"] == "load"
		item := s.Name == "item" && s.Parent == "" && !s.Failed && s.Attributes["botwork.item.id"] == "7"
		if !step && !item {
			t.Fatalf("got the span %+v of %+v", s, parent)
		}
		if s.Resource["service.name"] != "botwork" || s.Resource["service.version"] != "1.2.3" || s.Resource["service.instance.id"] != "w1" {
			t.Fatalf("got the resource %v", s.Resource)
		}
	}
	if got := c.Headers().Get("Authorization"); got != "Bearer abc" {
		t.Errorf("got the header Authorization %q", got)
	}
}

// Whatever the collector does, nothing waits for it, and what was lost is logged once.
func TestDeadCollectors(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	failing := tracetest.Start(t)
	failing.Answer(http.StatusServiceUnavailable)
	moved := tracetest.Start(t)
	moved.Answer(http.StatusFound)
	for name, url := range map[string]string{"refuses": "http://" + closed.Addr().String(), "is silent": "http://" + silent.Addr().String(), "fails": failing.URL, "redirects": moved.URL} {
		t.Run(name, func(t *testing.T) {
			log := testbuild.NewOutput()
			e := start(t, url, log)
			done := make(chan struct{})
			go func() { defer close(done); work(t, e, 20_000) }()
			select {
			case <-done:
			case <-time.After(time.Minute):
				t.Fatal("the work waits for the collector")
			}
			stopped := make(chan struct{})
			go func() { defer close(stopped); e.Stop(context.WithoutCancel(t.Context())) }()
			select {
			case <-stopped:
			case <-time.After(time.Minute):
				t.Fatal("the end waits for the collector")
			}
			if e.Lost() < 2 || e.Lost() > 40_000 {
				t.Errorf("%d spans are lost, want at least those of the first batch", e.Lost())
			}
			if n := strings.Count(log.String(), "does not accept spans"); n > 1 || !strings.Contains(log.String(), fmt.Sprintf(`"spans":%d}`, e.Lost())) && !strings.Contains(log.String(), fmt.Sprintf(`"spans":%d,`, e.Lost())) {
				t.Errorf("want at most one line about the collector, and one with the lost spans, got\n%s", log.String())
			}
			if strings.Contains(log.String(), "Bearer") {
				t.Errorf("the log has a header:\n%s", log.String())
			}
		})
	}
}

// While the collector accepts nothing, one batch is repeated, and no span is made.
func TestCollectorThatRecovers(t *testing.T) {
	otlp.RetryEvery(t, time.Millisecond)
	c := tracetest.Start(t)
	c.Answer(http.StatusServiceUnavailable)
	log := testbuild.NewOutput()
	e := start(t, c.URL, log)
	work(t, e, 1)
	_ = e.Provider.ForceFlush(t.Context())
	work(t, e, 10)
	_ = e.Provider.ForceFlush(t.Context())
	if e.Lost() != 2 {
		t.Errorf("%d spans were made, want the two of the first trace", e.Lost())
	}
	c.Answer(http.StatusOK)
	e.AwaitRetry()
	work(t, e, 1)
	_ = e.Provider.ForceFlush(t.Context())
	e.Stop(t.Context())
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(c.Spans()) != 4 || len(lines) != 2 || !strings.Contains(lines[0], "503") || !strings.Contains(lines[1], "again") {
		t.Errorf("got %d spans and the log\n%s", len(c.Spans()), log.String())
	}
}
