package tracing_test

import (
	"net/http"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"botwork/internal/tracing"
)

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func metadata(traceparent string) func() map[string]string {
	return func() map[string]string { return map[string]string{tracing.ParentKey: traceparent} }
}

func never() bool { return false }

// While it is paused, a trace of another program is passed on as it came.
func TestPaused(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	ctx := tracing.With(t.Context(), trace.NewTracerProvider(trace.WithSyncer(kept)), func() bool { return true })
	_, span := tracing.Root(ctx, "pass")
	ctx, item := tracing.Continue(ctx, "item", metadata(parent))
	_, step := tracing.Child(ctx, "step")
	headers := http.Header{}
	tracing.Inject(ctx, headers)
	if span != nil || item != nil || step != nil || headers.Get(tracing.ParentKey) != parent {
		t.Errorf("got the spans %v, %v, %v and the headers %v", span, item, step, headers)
	}
}

// Without a tracer nothing is made, sent or added to requests.
func TestOff(t *testing.T) {
	ctx, span := tracing.Continue(t.Context(), "item", func() map[string]string { t.Error("metadata was read"); return nil })
	span.Text("a", "b")
	span.Int("a", 1)
	span.Fail("error")
	span.End()
	headers := http.Header{}
	tracing.Inject(ctx, headers)
	if span != nil || len(headers) > 0 || tracing.TraceID(ctx) != "" {
		t.Errorf("got the span %v, the headers %v, the trace %q", span, headers, tracing.TraceID(ctx))
	}
	if allocations := testing.AllocsPerRun(100, func() {
		ctx, span := tracing.Child(ctx, "step")
		span.Text("botwork.step", "load")
		span.End()
		tracing.Inject(ctx, headers)
	}); allocations > 0 {
		t.Errorf("a span that is not traced takes %v allocations", allocations)
	}
}

func TestContinue(t *testing.T) {
	for name, c := range map[string]struct {
		traceparent string
		continued   bool
	}{
		"valid":         {parent, true},
		"none":          {"", false},
		"short":         {parent[:40], false},
		"zeros":         {"00-00000000000000000000000000000000-0000000000000000-01", false},
		"a later form":  {"01" + parent[2:] + "-more", true},
		"not a version": {"ff" + parent[2:], false},
		"capitals":      {"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false},
	} {
		t.Run(name, func(t *testing.T) {
			kept := tracetest.NewInMemoryExporter()
			provider := trace.NewTracerProvider(trace.WithSyncer(kept))
			ctx, span := tracing.Continue(tracing.With(t.Context(), provider, never), "item", metadata(c.traceparent))
			headers := http.Header{}
			tracing.Inject(ctx, headers)
			span.End()
			got := kept.GetSpans()
			if len(got) != 1 {
				t.Fatalf("got %d spans", len(got))
			}
			if continued := got[0].Parent.IsValid(); continued != c.continued || continued != (tracing.TraceID(ctx) == parent[3:35]) {
				t.Errorf("the trace %s, want the one of %q: %v", tracing.TraceID(ctx), c.traceparent, c.continued)
			}
			if want := "00-" + tracing.TraceID(ctx) + "-" + got[0].SpanContext.SpanID().String() + "-01"; headers.Get(tracing.ParentKey) != want {
				t.Errorf("other programs get %q, want %q", headers.Get(tracing.ParentKey), want)
			}
		})
	}
}

// A trace that is not sampled is passed on, so that other programs do not begin one in its place.
func TestNotSampled(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(kept), trace.WithSampler(trace.ParentBased(trace.AlwaysSample())))
	ctx, span := tracing.Continue(tracing.With(t.Context(), provider, never), "item", metadata(parent[:len(parent)-1]+"0"))
	headers := http.Header{"Traceparent": nil}
	tracing.Inject(ctx, headers)
	span.End()
	if span != nil || len(kept.GetSpans()) > 0 || len(headers.Get(tracing.ParentKey)) != len(parent) || headers.Get(tracing.ParentKey)[3:35] != parent[3:35] {
		t.Errorf("got %v, %d spans and the headers %v", span, len(kept.GetSpans()), headers)
	}
}

// Headers that a step has set itself stay.
func TestInjectKeepsHeaders(t *testing.T) {
	provider := trace.NewTracerProvider()
	ctx, span := tracing.Root(tracing.With(t.Context(), provider, never), "item")
	defer span.End()
	headers := http.Header{}
	headers.Set(tracing.ParentKey, parent)
	tracing.Inject(ctx, headers)
	if got := headers.Get(tracing.ParentKey); got != parent {
		t.Errorf("got %q", got)
	}
}

func TestCarry(t *testing.T) {
	given := map[string]string{"customer": "Ada"}
	if got := tracing.Carry(t.Context(), given); len(got) != 1 {
		t.Errorf("without a tracer, got %v", got)
	}
	provider := trace.NewTracerProvider(trace.WithSyncer(tracetest.NewInMemoryExporter()))
	traced := tracing.With(t.Context(), provider, never)
	if got := tracing.Carry(traced, given); len(got) != 1 {
		t.Errorf("outside of a span, got %v", got)
	}
	ctx, span := tracing.Continue(traced, "item", metadata(parent))
	defer span.End()
	got := tracing.Carry(ctx, given)
	_, next := tracing.Continue(traced, "item", func() map[string]string { return got })
	next.End()
	if len(given) != 1 || got["customer"] != "Ada" || got[tracing.ParentKey] == parent || got[tracing.ParentKey][3:35] != parent[3:35] {
		t.Errorf("got %v, want the given pair, and a traceparent of the same trace and another span", got)
	}
	own := map[string]string{tracing.ParentKey: parent}
	if got := tracing.Carry(ctx, own); len(got) != 1 || got[tracing.ParentKey] != parent {
		t.Errorf("got %v, want the item's own traceparent", got)
	}
	if got := tracing.Carry(ctx, nil); got[tracing.ParentKey][3:35] != parent[3:35] {
		t.Errorf("got %v for an item without metadata", got)
	}
}
