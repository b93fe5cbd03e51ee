package builtin

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"botwork/handlers"
	"botwork/internal/values"
)

// exchange sends the request and checks the response.
func (s *httpStep) exchange(request *http.Request) (any, error) {
	response, err := s.follow(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, int64(s.MaxResponse)+1))
	if err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	tooLarge := int64(len(data)) > int64(s.MaxResponse)
	if !matches(s.ExpectStatus, response.StatusCode) {
		return nil, s.refusal(response, data)
	}
	if tooLarge {
		return nil, handlers.Permanent(fmt.Errorf("the response is larger than %s; raise maxResponse if that is right", s.MaxResponse))
	}
	body, encoding, err := responseBody(response.Header.Get("Content-Type"), data)
	if err != nil {
		return nil, err
	}
	headers := make(map[string]any, len(response.Header))
	for name, values := range response.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return map[string]any{
		"status": response.StatusCode, "headers": headers, "body": body, "encoding": encoding,
		"url": shownURL(response.Request.URL),
	}, nil
}

// refusal returns the error for an unexpected status.
func (s *httpStep) refusal(response *http.Response, data []byte) error {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(data), "�")), " ")
	err := fmt.Errorf("got status %s, want %s", response.Status, joinPatterns(s.ExpectStatus))
	if text != "" {
		// The engine also redacts a secret that is cut off at the mark.
		err = fmt.Errorf("%w; response: %s", err, shorten(text, 300))
	}
	switch code := response.StatusCode; {
	case matches(s.BusinessStatus, code):
		return handlers.Business(err)
	case matches(s.RetryStatus, code):
		if wait, ok := retryAfter(response.Header); ok {
			return handlers.RetryAfter(err, wait)
		}
		return err
	default:
		return handlers.Permanent(err)
	}
}

// responseBody decodes a body by its content type.
func responseBody(contentType string, data []byte) (body any, encoding string, err error) {
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case len(data) > 0 && (media == "application/json" || strings.HasSuffix(media, "+json")):
		body, err = values.DecodeJSON(data)
		if err != nil {
			return nil, "", fmt.Errorf("the response calls itself %s: %w", media, err)
		}
		return body, "json", nil
	case utf8.Valid(data):
		return string(data), "text", nil
	default:
		return base64.StdEncoding.EncodeToString(data), "base64", nil
	}
}

// retryAfter reads a Retry-After header: seconds, or a date. A date is taken relative to the
// response's own Date, so that a wrong clock on either side does no harm. A number that is too
// large for a duration is the longest duration: the item's policy limits the wait. A negative
// number means no wait.
func retryAfter(header http.Header) (time.Duration, bool) {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, math.MaxInt64/uint64(time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(at.Sub(now), 0), true
}

// statusPattern is an HTTP status, "404", or a class of them, "4xx".
type statusPattern string

// UnmarshalText parses a status from 100 to 599, or 1xx to 5xx.
func (p *statusPattern) UnmarshalText(text []byte) error {
	pattern := strings.ToLower(string(text))
	digits := strings.Replace(pattern, "xx", "00", 1)
	if n, err := strconv.Atoi(digits); err != nil || len(pattern) != 3 || n < 100 || n > 599 {
		return fmt.Errorf("status %q: want a number from 100 to 599, or a class such as 2xx", text)
	}
	*p = statusPattern(pattern)
	return nil
}

// Pattern implements Patterned.
func (p *statusPattern) Pattern() (pattern, wanted string) {
	return `^[1-5]([0-9]{2}|[xX]{2})$`, "a number from 100 to 599, or a class such as 2xx"
}

var _ handlers.Patterned = (*statusPattern)(nil)

func (p statusPattern) matches(status int) bool {
	text := strconv.Itoa(status)
	return string(p) == text || strings.HasSuffix(string(p), "xx") && p[0] == text[0]
}

func matches(patterns []statusPattern, status int) bool {
	for _, p := range patterns {
		if p.matches(status) {
			return true
		}
	}
	return false
}

func joinPatterns(patterns []statusPattern) string {
	texts := make([]string, len(patterns))
	for i, p := range patterns {
		texts[i] = string(p)
	}
	return strings.Join(texts, ", ")
}
