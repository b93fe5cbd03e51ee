package otlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// sendTimeout bounds one request to the collector.
const sendTimeout = 5 * time.Second

// client sends batches of spans. See https://opentelemetry.io/docs/specs/otlp/#otlphttp.
type client struct {
	url     string
	headers map[string]string
	http    *http.Client
}

var _ otlptrace.Client = (*client)(nil)

func newClient(url string, headers map[string]string) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &client{url: url, headers: headers, http: &http.Client{
		Transport: transport, Timeout: sendTimeout,
		// The headers may have a password, which belongs to this address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (c *client) Start(context.Context) error { return nil }

func (c *client) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces sends a batch. TracesData is the same on the wire as the request's message.
func (c *client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("User-Agent", "botwork")
	for name, value := range c.headers {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // so that the connection is used again
	if response.StatusCode/100 != 2 {
		return errors.New("the collector answered " + response.Status)
	}
	return nil
}
