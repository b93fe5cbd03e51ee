package builtin

import (
	"net/http"
	"strconv"

	"botwork/internal/tracing"
)

// traced sends the request as a span, and passes the trace on in its headers. The span covers the
// redirects. It has the host, but neither the path nor the query, which may contain secrets.
func (s *httpStep) traced(request *http.Request) (any, error) {
	ctx, span := tracing.Client(request.Context(), "HTTP "+request.Method)
	tracing.Inject(ctx, request.Header)
	if span == nil {
		return s.exchange(request)
	}
	defer span.End()
	request = request.WithContext(ctx)
	span.Text("http.request.method", request.Method)
	span.Text("url.scheme", request.URL.Scheme)
	span.Text("server.address", request.URL.Hostname())
	if port, err := strconv.ParseInt(request.URL.Port(), 10, 64); err == nil {
		span.Int("server.port", port)
	}
	out, err := s.exchange(request)
	if answer, ok := out.(map[string]any); ok {
		status, _ := answer["status"].(int)
		span.Int("http.response.status_code", int64(status))
	}
	if err != nil {
		span.Fail("error")
	}
	return out, err
}
