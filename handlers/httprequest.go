package handlers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// request makes the request; an error is a wrong parameter.
func (s *httpStep) request(ctx context.Context, call *Call) (*http.Request, error) {
	address, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("url: this is no address")
	}
	if len(s.Query) > 0 {
		address.RawQuery = s.query(address.Query()).Encode()
	}
	body, contentType, err := s.body()
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, s.Method, address.String(), body)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
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

func (s *httpStep) query(values url.Values) url.Values {
	for name, value := range s.Query {
		if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
			for i := range v.Len() {
				values.Add(name, fmt.Sprint(v.Index(i).Interface()))
			}
		} else if value != nil {
			values.Add(name, fmt.Sprint(value))
		}
	}
	return values
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

// idempotencyKey names the work of a step for an item: it stays the same at
// every try. It is "" in a run that belongs to no item, where nothing stays
// the same.
func idempotencyKey(call *Call) string {
	if call.ItemID == 0 {
		return ""
	}
	return fmt.Sprintf("botwork-%d-%s-%s", call.ItemID, url.QueryEscape(call.Pipeline), url.QueryEscape(call.Step))
}
