// Package tracing makes spans of OpenTelemetry. A span goes where its context says: a context
// without a tracer, as always when tracing is off, costs one look-up. Only this package and
// internal/tracing/otlp, which sends the spans, import OpenTelemetry.
//
// Attributes hold names, numbers and hosts. They never hold payloads, parameters, paths of addresses
// or texts of errors, which may contain secrets.
package tracing

import (
	"context"
	"maps"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// The keys under which an item's metadata, and headers of requests, have the span that they
// continue: https://www.w3.org/TR/trace-context/.
const (
	ParentKey = "traceparent"
	StateKey  = "tracestate"
)

type tracerKey struct{}

// tracer makes spans, except while it is paused.
type tracer struct {
	trace.Tracer
	paused func() bool
}

// With returns a context whose spans go to the provider. While paused returns true no span starts;
// a trace of another program is then passed on as it came.
func With(ctx context.Context, p trace.TracerProvider, paused func() bool) context.Context {
	return context.WithValue(ctx, tracerKey{}, &tracer{p.Tracer("botwork"), paused})
}

func tracerOf(ctx context.Context) *tracer {
	t, _ := ctx.Value(tracerKey{}).(*tracer)
	return t
}

// Span is a piece of work in a trace. A nil Span is one that is not traced; its methods do nothing.
type Span struct{ span trace.Span }

// Root starts a span that may begin a trace.
func Root(ctx context.Context, name string) (context.Context, *Span) {
	return start(ctx, name, trace.SpanKindInternal)
}

// Child starts a span if the context belongs to another one. Work without one, such as heartbeats
// and polling, is not worth a trace.
func Child(ctx context.Context, name string) (context.Context, *Span) {
	return child(ctx, name, trace.SpanKindInternal)
}

// Client is Child for a request to another program.
func Client(ctx context.Context, name string) (context.Context, *Span) {
	return child(ctx, name, trace.SpanKindClient)
}

// Continue starts a span of work that another program has asked for. from returns its metadata or
// headers by name; without a valid traceparent a new trace begins.
func Continue(ctx context.Context, name string, from func() map[string]string) (context.Context, *Span) {
	if tracerOf(ctx) == nil {
		return ctx, nil
	}
	remote := propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier(from()))
	return start(remote, name, trace.SpanKindConsumer)
}

func child(ctx context.Context, name string, kind trace.SpanKind) (context.Context, *Span) {
	if tracerOf(ctx) == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, nil
	}
	return start(ctx, name, kind)
}

func start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, *Span) {
	t := tracerOf(ctx)
	if t == nil || t.paused() {
		return ctx, nil
	}
	ctx, span := t.Start(ctx, name, trace.WithSpanKind(kind))
	if !span.IsRecording() {
		return ctx, nil // not sampled: the context still carries the trace to other programs
	}
	return ctx, &Span{span}
}

// Text sets an attribute; "" sets none.
func (s *Span) Text(key, value string) {
	if s != nil && value != "" {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Int sets an attribute.
func (s *Span) Int(key string, value int64) {
	if s != nil {
		s.span.SetAttributes(attribute.Int64(key, value))
	}
}

// Fail marks the span as failed. kind is a word such as "timeout", never the text of an error.
func (s *Span) Fail(kind string) {
	if s != nil {
		s.span.SetStatus(codes.Error, kind)
	}
}

// End ends the span.
func (s *Span) End() {
	if s != nil {
		s.span.End()
	}
}

// TraceID returns the id of the trace that the context belongs to; "" without one.
func TraceID(ctx context.Context) string {
	if c := trace.SpanContextFromContext(ctx); c.HasTraceID() && tracerOf(ctx) != nil {
		return c.TraceID().String()
	}
	return ""
}

// Inject adds the headers that let another program continue the trace, unless the request has them.
func Inject(ctx context.Context, headers http.Header) {
	if tracerOf(ctx) != nil && headers.Get(ParentKey) == "" {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(headers))
	}
}

// Carry returns the metadata of a new item with the fields that let the item continue the trace, unless
// it has them. It does not change the map.
func Carry(ctx context.Context, metadata map[string]string) map[string]string {
	if tracerOf(ctx) == nil || metadata[ParentKey] != "" || !trace.SpanContextFromContext(ctx).IsValid() {
		return metadata
	}
	carrier := propagation.MapCarrier{}
	maps.Copy(carrier, metadata)
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier
}
