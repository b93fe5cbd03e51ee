package builtin

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"botwork/handlers"
	"botwork/internal/values"
)

// request returns the request; an error means a wrong parameter.
func (s *httpStep) request(ctx context.Context, call *handlers.Call) (*http.Request, error) {
	address, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("url: this is no address")
	}
	if len(s.Query) > 0 {
		query := address.Query()
		if err := s.addQuery(query); err != nil {
			return nil, err
		}
		address.RawQuery = query.Encode()
	}
	body, contentType, err := s.body()
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, s.Method, address.String(), body)
	if err != nil {
		return nil, fmt.Errorf("create the request: %w", err)
	}
	request.Header.Set("User-Agent", "botwork")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	for name, value := range s.Headers {
		request.Header.Set(name, value)
		if strings.EqualFold(name, "Host") {
			request.Host = value // net/http ignores this header
		}
	}
	switch {
	case s.Auth.Token != "":
		request.Header.Set("Authorization", "Bearer "+string(s.Auth.Token))
	case s.Auth.Username != "" || s.Auth.Password != "":
		request.SetBasicAuth(s.Auth.Username, string(s.Auth.Password))
	}
	if key := idempotencyKey(call); s.IdempotencyKey && key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	return request, nil
}

// addQuery adds the step's query parameters to the query of an address; null adds none.
func (s *httpStep) addQuery(query url.Values) error {
	for name, value := range s.Query {
		list, isList := values.Plain(value).([]any)
		if !isList {
			list = []any{value}
		}
		for _, one := range list {
			if one == nil {
				continue
			}
			text, err := valueText(one)
			if err != nil {
				return fmt.Errorf("query.%s: %w", name, err)
			}
			query.Add(name, text)
		}
	}
	return nil
}

func (s *httpStep) body() (io.Reader, string, error) {
	switch body := s.Body.(type) {
	case nil:
		return nil, "", nil
	case string:
		return strings.NewReader(body), "text/plain; charset=utf-8", nil
	default:
		text, err := encodeJSON(body, "")
		return strings.NewReader(text), "application/json", err
	}
}

// idempotencyKey identifies the work of a step for an item: it is the same in every attempt.
// It is "" in a run without an item.
func idempotencyKey(call *handlers.Call) string {
	if call.IdempotencyKey == "" {
		return ""
	}
	return fmt.Sprintf("botwork-%s-%s-%s", call.IdempotencyKey, url.QueryEscape(call.Pipeline), url.QueryEscape(call.Step))
}
