// Package tracetest has a collector of spans for tests.
package tracetest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector receives spans by OTLP over HTTP.
type Collector struct {
	URL string

	mu      sync.Mutex
	spans   []Span
	headers http.Header
	status  int
}

// Span is a span that was received.
type Span struct {
	Name              string
	Trace, ID, Parent string // in hexadecimal digits; Parent is "" for the first span of a trace
	Failed            bool
	Kind              string // such as "client"
	Attributes        map[string]string
	Resource          map[string]string
}

// Start starts a collector, which the test's end stops.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{status: http.StatusOK}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// Answer sets the status of the next answers.
func (c *Collector) Answer(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}

// Spans returns the spans that were received.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Headers returns the headers of the latest request.
func (c *Collector) Headers() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.headers
}

// ServeHTTP receives a batch of spans.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var batch tracepb.TracesData
	if err == nil {
		err = proto.Unmarshal(body, &batch)
	}
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		http.Error(w, "not a batch of spans", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = r.Header
	w.WriteHeader(c.status)
	if c.status != http.StatusOK {
		return
	}
	for _, of := range batch.GetResourceSpans() {
		resource := map[string]string{}
		for _, a := range of.GetResource().GetAttributes() {
			resource[a.GetKey()] = a.GetValue().GetStringValue()
		}
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, read(s, resource))
			}
		}
	}
}

var kinds = map[tracepb.Span_SpanKind]string{
	tracepb.Span_SPAN_KIND_INTERNAL: "internal", tracepb.Span_SPAN_KIND_CLIENT: "client", tracepb.Span_SPAN_KIND_CONSUMER: "consumer",
}

func read(s *tracepb.Span, resource map[string]string) Span {
	span := Span{
		Name: s.GetName(), Trace: fmt.Sprintf("%x", s.GetTraceId()), ID: fmt.Sprintf("%x", s.GetSpanId()), Parent: fmt.Sprintf("%x", s.GetParentSpanId()),
		Failed: s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR, Kind: kinds[s.GetKind()], Attributes: map[string]string{}, Resource: resource,
	}
	for _, a := range s.GetAttributes() {
		span.Attributes[a.GetKey()] = a.GetValue().GetStringValue()
		if n := a.GetValue().GetIntValue(); n != 0 {
			span.Attributes[a.GetKey()] = fmt.Sprint(n)
		}
	}
	return span
}
