package otlp

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"botwork/internal/tracing"
)

const (
	// queueSize spans wait at most, and batchSize are sent together, at least every sendEvery.
	queueSize = 4096
	batchSize = 512
	sendEvery = 2 * time.Second

	// flushWithin bounds how long Stop waits for the collector.
	flushWithin = 3 * time.Second
)

// retryEvery is Exporter.every of new exporters. Tests change it.
var retryEvery = 5 * time.Second

// Options configure an Exporter.
type Options struct {
	// URL is the whole address, such as http://127.0.0.1:4318/v1/traces. Headers are sent along.
	URL     string
	Headers map[string]string

	// Sample is the share of new traces that are sent, above 0 and at most 1. A trace that another
	// program began is sent if that program says so.
	Sample float64

	// Worker and Version describe this process to readers of traces.
	Worker, Version string

	Log zerolog.Logger
}

// Exporter sends the spans of its Provider. While the collector does not accept spans the exporter
// is paused: it repeats one batch until that is accepted, drops the others, and asks for no more, so
// that a dead collector costs nothing. It logs both changes.
type Exporter struct {
	Provider *trace.TracerProvider

	log     zerolog.Logger
	sent    trace.SpanExporter
	stopped chan struct{}
	every   time.Duration // between two attempts to send a batch that was not accepted

	ended, accepted atomic.Int64 // spans
	paused          atomic.Bool

	mu       sync.Mutex
	closed   bool // Stop was called; guarded by mu
	retrying sync.WaitGroup
}

// Start returns an exporter; Stop must be called.
func Start(ctx context.Context, o Options) (*Exporter, error) {
	sent, err := otlptrace.New(ctx, newClient(o.URL, o.Headers))
	if err != nil {
		return nil, err
	}
	e := &Exporter{log: o.Log, sent: sent, stopped: make(chan struct{}), every: retryEvery}
	e.Provider = trace.NewTracerProvider(
		trace.WithSampler(trace.ParentBased(trace.TraceIDRatioBased(o.Sample))),
		trace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "botwork"), attribute.String("service.version", o.Version), attribute.String("service.instance.id", o.Worker),
		)),
		trace.WithSpanProcessor(counter{e}),
		trace.WithBatcher(exporter{e}, trace.WithMaxQueueSize(queueSize), trace.WithMaxExportBatchSize(batchSize),
			trace.WithBatchTimeout(sendEvery), trace.WithExportTimeout(sendTimeout)),
	)
	return e, nil
}

// Context returns a context whose spans are sent.
func (e *Exporter) Context(ctx context.Context) context.Context {
	return tracing.With(ctx, e.Provider, e.paused.Load)
}

// Stop sends what waits, for a few seconds at most, and logs how many spans were lost. It must be
// called once.
func (e *Exporter) Stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushWithin)
	defer cancel()
	e.mu.Lock()
	e.closed = true
	close(e.stopped)
	e.mu.Unlock()
	e.retrying.Wait()
	_ = e.Provider.Shutdown(ctx) // its error is that of the collector, which is logged
	if n := e.Lost(); n > 0 {
		e.log.Warn().Int64("spans", n).Msg("spans were lost: the collector did not accept them in time")
	}
}

// Lost returns how many spans the collector has not accepted. While the exporter runs, spans that
// wait are among them.
func (e *Exporter) Lost() int64 { return e.ended.Load() - e.accepted.Load() }

// exporter counts what is sent.
type exporter struct{ *Exporter }

func (e exporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	if e.paused.Load() {
		return nil
	}
	if err := e.sent.ExportSpans(ctx, spans); err != nil {
		e.log.Warn().Err(err).Msg("the collector does not accept spans; nothing is traced until it does, and items run on")
		e.pause(slices.Clone(spans)) // the processor uses its slice again
		return nil                   // logged here, once; OpenTelemetry would log each
	}
	e.accepted.Add(int64(len(spans)))
	return nil
}

// pause stops the making of spans until the collector accepts the batch. A request may fail after Stop,
// which does not wait for its answer; then nothing is repeated.
func (e *Exporter) pause(batch []trace.ReadOnlySpan) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.paused.Store(true)
	e.retrying.Go(func() { e.retry(batch) })
}

// retry repeats a batch until the collector accepts it, or the exporter is stopped.
func (e *Exporter) retry(spans []trace.ReadOnlySpan) {
	ticker := time.NewTicker(e.every)
	defer ticker.Stop()
	for {
		select {
		case <-e.stopped:
			return
		case <-ticker.C:
		}
		if e.resend(spans) {
			e.accepted.Add(int64(len(spans)))
			e.log.Info().Int64("lost_or_waiting", e.Lost()).Msg("the collector accepts spans again")
			e.paused.Store(false)
			return
		}
	}
}

func (e *Exporter) resend(spans []trace.ReadOnlySpan) bool {
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	go func() { // Stop does not wait for the answer
		select {
		case <-e.stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	return e.sent.ExportSpans(ctx, spans) == nil
}

func (e exporter) Shutdown(ctx context.Context) error { return e.sent.Shutdown(ctx) }

// counter counts the spans that are to be sent.
type counter struct{ *Exporter }

func (counter) OnStart(context.Context, trace.ReadWriteSpan) {}

func (c counter) OnEnd(s trace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		c.ended.Add(1)
	}
}

func (counter) Shutdown(context.Context) error { return nil }

func (counter) ForceFlush(context.Context) error { return nil }
