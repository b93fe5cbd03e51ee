package matching

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Mode is how items are spread over the workers that may take them.
type Mode string

// The modes.
const (
	// LeastLoaded gives an item to the worker with the least summed estimated
	// duration, counting what it holds. It is the default.
	LeastLoaded Mode = "least-loaded"

	// RoundRobin gives it to the next worker in turn.
	RoundRobin Mode = "round-robin"

	// LongestIdle gives it to the worker with the lowest share of its capacity
	// in use; among equals to the one that has been free the longest.
	LongestIdle Mode = "longest-idle"

	// BestWorker gives it to the worker with the best score; among equals to
	// the one that has been free the longest.
	BestWorker Mode = "best-worker"
)

// modes are all modes, the default first.
var modes = []Mode{LeastLoaded, RoundRobin, LongestIdle, BestWorker}

// Distribution is how items are given to workers. The zero value of a field
// leaves it open to the less specific place: what a pipeline says comes before
// its queue, and that before the step that assigns.
type Distribution struct {
	// Mode "" is open.
	Mode Mode

	// BypassSelectors lets selectors filter nothing; they still score. Nil is
	// open.
	BypassSelectors *bool

	// Scoring is how best-worker scores; nil is open. It goes as a whole.
	Scoring *Scoring
}

// DefaultDistribution is what holds where nobody said anything.
func DefaultDistribution() Distribution {
	return Distribution{Mode: LeastLoaded, BypassSelectors: new(bool), Scoring: new(Scoring)}
}

// Or fills what d leaves open from the less specific place.
func (d Distribution) Or(fallback Distribution) Distribution {
	return Distribution{
		Mode:            cmp.Or(d.Mode, fallback.Mode),
		BypassSelectors: cmp.Or(d.BypassSelectors, fallback.BypassSelectors),
		Scoring:         cmp.Or(d.Scoring, fallback.Scoring),
	}
}

// IsZero tells that everything is open.
func (d Distribution) IsZero() bool { return d == Distribution{} }

// Bypasses tells whether selectors filter nothing.
func (d Distribution) Bypasses() bool { return d.BypassSelectors != nil && *d.BypassSelectors }

// distributionJSON is a distribution as the database keeps it.
type distributionJSON struct {
	Mode            Mode     `json:"mode,omitempty"`
	BypassSelectors *bool    `json:"bypassSelectors,omitempty"`
	Scoring         *Scoring `json:"scoring,omitempty"`
}

// MarshalJSON writes what is not open.
func (d Distribution) MarshalJSON() ([]byte, error) {
	return []byte(canonical(distributionJSON(d))), nil
}

// JSON writes the distribution as the database keeps it; "" when everything is
// open. Equal distributions give equal texts.
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
// strictly; "" and null leave everything open. The error holds every fault, as
// Faults.
func ParseDistribution(s string) (Distribution, error) {
	if s == "" {
		return Distribution{}, nil
	}
	v, err := parseJSON(s)
	if err != nil {
		return Distribution{}, err
	}
	return DecodeDistribution(v)
}

// DecodeDistribution is ParseDistribution for what JSON or YAML has been read
// as.
func DecodeDistribution(v any) (Distribution, error) {
	var c collector
	d := c.distribution(nil, v)
	if err := c.err(); err != nil {
		return Distribution{}, err
	}
	return d, nil
}

// Validate checks a distribution that was not decoded. All faults come at once,
// as Faults. Beside what Or has put together of several places, a scoring may
// stand that the mode does not need.
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
			c.faults = append(c.faults, f.Under("scoring"))
		}
	}
	return c.err()
}

func (c *collector) distribution(path []string, v any) Distribution {
	var d Distribution
	if v == nil {
		return d
	}
	o, ok := v.(map[string]any)
	if !ok {
		c.add(path, "got %s, want {mode, bypassSelectors, scoring}", kindOf(v))
		return d
	}
	c.known(path, o, distributionKeys)
	d.Mode = oneOf(c, path, o, "mode", modes)
	if o["bypassSelectors"] != nil {
		bypass := c.bool(path, o, "bypassSelectors")
		d.BypassSelectors = &bypass
	}
	d.Scoring = c.scoring(under(path, "scoring"), o["scoring"])
	if d.Scoring != nil && d.Mode != "" && d.Mode != BestWorker {
		c.add(under(path, "scoring"), "got a scoring beside the mode %s, want it beside %s, which alone scores", d.Mode, BestWorker)
	}
	return d
}

// oneOf reads one of a few words; "" stands for absent and for reported.
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
