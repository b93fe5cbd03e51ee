package workqueue

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"botwork/internal/spans"
)

// Rate is a number of starts in a period, written "10/1m"; the zero value is
// no limit.
type Rate struct {
	Limit int
	Per   Duration
}

// ParseRate reads "10/1m". The number and the period are above 0.
func ParseRate(text string) (Rate, error) {
	limit, per, ok := strings.Cut(text, "/")
	n, err := strconv.Atoi(strings.TrimSpace(limit))
	period, perErr := spans.Parse(strings.TrimSpace(per))
	if !ok || err != nil || perErr != nil || n <= 0 || period <= 0 {
		return Rate{}, fmt.Errorf("rate %q: want a number and a period, both above 0, such as 10/1m", text)
	}
	return Rate{Limit: n, Per: Duration(period)}, nil
}

// String returns the rate as ParseRate reads it, and "" for no limit.
func (r Rate) String() string {
	if r == (Rate{}) {
		return ""
	}
	return strconv.Itoa(r.Limit) + "/" + time.Duration(r.Per).String()
}

// MarshalText returns String.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (r *Rate) UnmarshalText(text []byte) (err error) {
	*r = Rate{}
	if len(text) > 0 {
		*r, err = ParseRate(string(text))
	}
	return err
}
