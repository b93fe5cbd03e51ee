package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"botwork/internal/moments"
)

// StretchQuery selects a stretch of time.
type StretchQuery struct {
	Since string `query:"since" maxLength:"100" doc:"from this time on: RFC 3339, or as on the command line, in UTC: 24h (ago), yesterday, 2026-01-31 06:00"`
	Until string `query:"until" maxLength:"100" doc:"before this time, in the same forms"`
}

// times returns the stretch. since is used if Since is empty; "" means the zero time.
func (q *StretchQuery) times(since string) (from, to time.Time, err error) {
	if q.Since != "" {
		since = q.Since
	}
	if from, err = moment("query.since", since); err != nil {
		return from, to, err
	}
	if to, err = moment("query.until", q.Until); err != nil {
		return from, to, err
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return from, to, fault("query.since", "got %s, want a time before until, %s", from.Format(time.RFC3339), to.Format(time.RFC3339))
	}
	return from, to, nil
}

// moment reads a time; "" is the zero time.
func moment(location, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := moments.Parse(text, time.Now(), time.UTC)
	if err == nil && (at.Year() < 1900 || at.Year() > 9000) {
		err = fmt.Errorf("got the year %d, want 1900 to 9000", at.Year())
	}
	if err != nil {
		return time.Time{}, fault(location, "%v", err)
	}
	return at.UTC(), nil
}

// fault is a problem with one fault in a request.
func fault(location, format string, args ...any) *Problem {
	p := problem(http.StatusUnprocessableEntity, "invalid-request", "the request is not valid")
	p.Errors = []Fault{{Location: location, Message: fmt.Sprintf(format, args...)}}
	return p
}

// oneOf refuses a word that is not in the list.
func oneOf(location, word string, list []string) error {
	if slices.Contains(list, word) {
		return nil
	}
	return fault(location, "got %.100q, want one of %s", word, strings.Join(list, ", "))
}

// Paged has the header of a page of a list.
type Paged struct {
	Link string `header:"Link" doc:"the next page, with rel=\"next\"; missing on the last page"`
}

// nextPage returns the URL of the next page, relative to the server, and sets the header. values
// are the parameters of this page; the pairs replace some of them.
func (p *Paged) nextPage(path string, values url.Values, pairs ...string) *string {
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	for name := range values {
		if values.Get(name) == "" {
			values.Del(name)
		}
	}
	next := Prefix + path + "?" + values.Encode()
	p.Link = "<" + next + `>; rel="next"`
	return &next
}

// clock returns the time of the database, or the machine's if that fails.
func (a *API) clock(ctx context.Context) time.Time {
	if now, err := a.store.Now(ctx); err == nil {
		return now
	}
	return time.Now()
}
