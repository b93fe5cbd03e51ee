package matching

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"botwork/internal/author/keydocs"
)

// Mode is how items are distributed to the workers that may run them.
type Mode string

// The modes.
const (
	// LeastLoaded assigns an item to the worker with the smallest sum of estimated
	// durations, including the items that it holds. It is the default.
	LeastLoaded Mode = "least-loaded"

	// RoundRobin assigns it to the next worker in turn.
	RoundRobin Mode = "round-robin"

	// LongestIdle assigns it to the worker with the lowest share of its capacity in
	// use; among equals to the one that has been free the longest.
	LongestIdle Mode = "longest-idle"

	// BestWorker assigns it to the worker with the best score; among equals to the
	// one that has been free the longest.
	BestWorker Mode = "best-worker"
)

// modes are all modes, the default first.
var modes = []Mode{LeastLoaded, RoundRobin, LongestIdle, BestWorker}

// Distribution is how items are given to workers. A field with the zero value is
// filled in from the next level: a pipeline's values come first, then its queue's,
// then those of the step that assigns.
type Distribution struct {
	// Mode "" is not set.
	Mode Mode

	// BypassSelectors makes selectors filter nothing; they still score. Nil is not
	// set.
	BypassSelectors *bool

	// Scoring is how best-worker scores; nil is not set. It is replaced as a whole.
	Scoring *Scoring

	// Share is the weight of a queue among the queues that compete for slots; 0 is not set.
	// Only queues have it.
	Share int
}

// MaxShare bounds Distribution.Share.
const MaxShare = 1000

// DefaultDistribution is the distribution if no level sets a field.
func DefaultDistribution() Distribution {
	return Distribution{Mode: LeastLoaded, BypassSelectors: new(bool), Scoring: new(Scoring)}
}

// Or fills the fields that d does not set from the next level.
func (d Distribution) Or(fallback Distribution) Distribution {
	return Distribution{
		Mode:            cmp.Or(d.Mode, fallback.Mode),
		BypassSelectors: cmp.Or(d.BypassSelectors, fallback.BypassSelectors),
		Scoring:         cmp.Or(d.Scoring, fallback.Scoring),
		Share:           cmp.Or(d.Share, fallback.Share),
	}
}

// IsZero reports whether no field is set.
func (d Distribution) IsZero() bool { return d == Distribution{} }

// Bypasses reports whether selectors filter nothing.
func (d Distribution) Bypasses() bool { return d.BypassSelectors != nil && *d.BypassSelectors }

// distributionJSON is a distribution as the database stores it.
type distributionJSON struct {
	Mode            Mode     `json:"mode,omitempty"`
	BypassSelectors *bool    `json:"bypassSelectors,omitempty"`
	Scoring         *Scoring `json:"scoring,omitempty"`
	Share           int      `json:"share,omitempty"`
}

// MarshalJSON writes the fields that are set.
func (d Distribution) MarshalJSON() ([]byte, error) {
	return []byte(canonical(distributionJSON(d))), nil
}

// JSON returns the distribution as the database stores it; "" if no field is set.
// Equal distributions give equal texts.
func (d Distribution) JSON() string {
	if d.IsZero() {
		return ""
	}
	return canonical(d)
}

// ParseDistribution reads a distribution from a JSON object
//
//	{"mode": "best-worker", "bypassSelectors": false, "scoring": {"rule": "default"}}
//
// strictly; for "" and null no field is set. The error contains every fault, as
// Faults.
func ParseDistribution(s string) (Distribution, error) {
	return parseDistribution(s, DecodeDistribution)
}

// ParseQueueDistribution is ParseDistribution for the distribution of a queue, which can also have
// a share.
func ParseQueueDistribution(s string) (Distribution, error) {
	return parseDistribution(s, DecodeQueueDistribution)
}

func parseDistribution(s string, decode func(any) (Distribution, error)) (Distribution, error) {
	if s == "" {
		return Distribution{}, nil
	}
	v, err := parseJSON(s)
	if err != nil {
		return Distribution{}, err
	}
	return decode(v)
}

// DecodeDistribution is ParseDistribution for decoded JSON or YAML.
func DecodeDistribution(v any) (Distribution, error) { return decodeDistribution(v, distributionKeys) }

// DecodeQueueDistribution is ParseQueueDistribution for decoded JSON or YAML.
func DecodeQueueDistribution(v any) (Distribution, error) {
	return decodeDistribution(v, queueDistributionKeys)
}

func decodeDistribution(v any, keys keydocs.Keys) (Distribution, error) {
	var c collector
	d := c.distribution(nil, v, keys)
	if err := c.err(); err != nil {
		return Distribution{}, err
	}
	return d, nil
}

// Validate checks a distribution that was not decoded. It returns all faults at once,
// as Faults. It accepts a scoring that the mode does not need, since Or may have
// combined them from several levels.
func (d Distribution) Validate() error {
	var c collector
	if d.Mode != "" {
		oneOf(&c, nil, map[string]any{"mode": string(d.Mode)}, "mode", modes)
	}
	if d.Scoring == nil {
		return c.err()
	}
	if faults, ok := errors.AsType[Faults](d.Scoring.Validate()); ok {
		for _, f := range faults {
			c.faults = append(c.faults, f.WithPathPrefix("scoring"))
		}
	}
	return c.err()
}

func (c *collector) distribution(path []string, v any, keys keydocs.Keys) Distribution {
	var d Distribution
	if v == nil {
		return d
	}
	o, ok := v.(map[string]any)
	if !ok {
		c.add(path, "got %s, want {%s}", kindOf(v), strings.Join(keys.Names(), ", "))
		return d
	}
	c.known(path, o, keys)
	d.Mode = oneOf(c, path, o, "mode", modes)
	if o["bypassSelectors"] != nil {
		bypass := c.bool(path, o, "bypassSelectors")
		d.BypassSelectors = &bypass
	}
	d.Scoring = c.scoring(under(path, "scoring"), o["scoring"])
	d.Share = c.share(under(path, "share"), o["share"])
	if d.Scoring != nil && d.Mode != "" && d.Mode != BestWorker {
		c.add(under(path, "scoring"), "got a scoring with the mode %s, want it with %s, the only mode that scores", d.Mode, BestWorker)
	}
	return d
}

// share reads the weight of a queue.
func (c *collector) share(path []string, v any) int {
	if v == nil {
		return 0
	}
	value, _ := ValueOf(v)
	f, ok := value.Float()
	n := int(f)
	if !ok || float64(n) != f || n < 1 || n > MaxShare {
		c.add(path, "got %v, want a whole number from 1 to %d", v, MaxShare)
		return 0
	}
	return n
}

// oneOf reads one of a few words; "" means absent, or reported as a fault.
func oneOf[T ~string](c *collector, path []string, o map[string]any, key string, words []T) T {
	got := T(c.text(path, o, key))
	if got == "" || slices.Contains(words, got) {
		return got
	}
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	last := len(known) - 1
	c.faults = append(c.faults, Fault{
		Path: under(path, key), Got: string(got), Known: known,
		Message: fmt.Sprintf("got %.40q, want %s or %s", string(got), strings.Join(known[:last], ", "), known[last]),
	})
	return ""
}
