package matching

import (
	"cmp"
	"context"
	"time"

	"botwork/internal/spans"
)

// RuleKind is how scores are computed.
type RuleKind string

// The kinds of rules.
const (
	DefaultRule    RuleKind = "default"    // Score
	StaticRule     RuleKind = "static"     // a number, or the number of the first case that a worker satisfies
	MapRule        RuleKind = "map"        // the number that belongs to a label's value
	ExpressionRule RuleKind = "expression" // the value of an expression of job, selectors and worker
	HTTPRule       RuleKind = "http"       // the answer of a service
)

var ruleKinds = []RuleKind{DefaultRule, StaticRule, MapRule, ExpressionRule, HTTPRule}

// The defaults of a scoring.
const (
	DefaultBatchSize   = 20
	DefaultHTTPTimeout = 2 * time.Second
)

// Scoring is how the workers that may run an item are compared. The zero value is the
// default score, the highest first.
type Scoring struct {
	// Rule "" is DefaultRule.
	Rule RuleKind

	// Score is the score of a static rule for workers that match no case, and of a
	// map rule for values that are not in the map.
	Score float64

	// Cases of a static rule are tried in their order.
	Cases []ScoreCase

	// Label and Scores of a map rule are the worker's label, and the score of each
	// of its values, written without quotes (Value.Plain).
	Label  string
	Scores map[string]float64

	// Expression of an expression rule.
	Expression string

	// HTTP of an HTTP rule.
	HTTP *HTTPScoring

	// Batch gives an expression or a service many workers at once, up to BatchSize
	// (0: DefaultBatchSize), and requires a list as the result.
	Batch     bool
	BatchSize int

	// Ascending prefers the lowest score; otherwise the highest is the best.
	Ascending bool

	// WithoutLabels and WithoutSelectors hide the item's labels, or its selectors,
	// from the rule. It always gets the workers' labels.
	WithoutLabels    bool
	WithoutSelectors bool
}

// ScoreCase gives its score to the workers that satisfy all its selectors.
type ScoreCase struct {
	When  []Selector `json:"when"`
	Score float64    `json:"score"`
}

// HTTPScoring is a service that scores.
type HTTPScoring struct {
	URL     string // absolute, http or https, without a user in it
	Headers map[string]Header
	Timeout time.Duration // of one request; 0: DefaultHTTPTimeout

	// Fallback scores every worker of a request that failed; nil: by Score.
	Fallback *float64
}

// Header is the value of a request's header: a text, or a secret of the settings with
// a text before it. With a secret it prints as <secret>.
type Header struct {
	Text   string // the value, or the text before the secret, such as "Bearer "
	Secret string // the secret's name; "": none
}

// Job is what a rule gets of the item.
type Job struct {
	Labels    Labels
	Selectors []Selector // those that have not expired
}

// Rule scores workers for an item.
type Rule interface {
	// Scores returns the score of each of the workers' labels, in their order; all
	// are finite. A rule that makes batches itself accepts any number of workers. It
	// may be called from several goroutines at once.
	Scores(ctx context.Context, job Job, workers []Labels) ([]float64, error)
}

// Kind returns the rule's kind.
func (s *Scoring) Kind() RuleKind { return cmp.Or(s.Rule, DefaultRule) }

// Better reports whether the score a is better than b.
func (s *Scoring) Better(a, b float64) bool {
	if s.Ascending {
		return a < b
	}
	return a > b
}

// Size returns how many workers a rule is given at once.
func (s *Scoring) Size() int {
	if !s.Batch {
		return 1
	}
	return cmp.Or(s.BatchSize, DefaultBatchSize)
}

// Shown returns the parts of a job that the rule is given.
func (s *Scoring) Shown(job Job) Job {
	if s.WithoutLabels {
		job.Labels = nil
	}
	if s.WithoutSelectors {
		job.Selectors = nil
	}
	return job
}

// Wait returns the time limit of one request.
func (h *HTTPScoring) Wait() time.Duration { return cmp.Or(h.Timeout, DefaultHTTPTimeout) }

// String hides the value if it contains a secret.
func (h Header) String() string {
	if h.Secret != "" {
		return "<secret>"
	}
	return h.Text
}

type scoringJSON struct {
	Rule       RuleKind           `json:"rule"`
	Score      *float64           `json:"score,omitempty"`
	Cases      []ScoreCase        `json:"cases,omitempty"`
	Label      string             `json:"label,omitempty"`
	Scores     map[string]float64 `json:"scores,omitempty"`
	Expression string             `json:"expression,omitempty"`
	HTTP       *httpJSON          `json:"http,omitempty"`
	Batch      bool               `json:"batch,omitempty"`
	BatchSize  int                `json:"batchSize,omitempty"`
	Descending *bool              `json:"descending,omitempty"`
	Send       *[]string          `json:"send,omitempty"`
}

type httpJSON struct {
	URL      string            `json:"url"`
	Headers  map[string]Header `json:"headers,omitempty"`
	Timeout  string            `json:"timeout,omitempty"`
	Fallback *float64          `json:"fallback,omitempty"`
}

type headerJSON struct {
	Secret string `json:"secret"`
	Prefix string `json:"prefix,omitempty"`
}

// The parts of a job that are sent to a rule.
const (
	sendLabels    = "labels"
	sendSelectors = "selectors"
)

// MarshalJSON writes the form that ParseDistribution reads.
func (s Scoring) MarshalJSON() ([]byte, error) {
	out := scoringJSON{
		Rule: s.Kind(), Cases: s.Cases, Label: s.Label, Scores: s.Scores, Expression: s.Expression, Batch: s.Batch, BatchSize: s.BatchSize,
	}
	if s.Score != 0 || s.Rule == StaticRule && len(s.Cases) == 0 {
		out.Score = &s.Score
	}
	if h := s.HTTP; h != nil {
		out.HTTP = &httpJSON{URL: h.URL, Headers: h.Headers, Fallback: h.Fallback}
		if h.Timeout > 0 {
			out.HTTP.Timeout = spans.Text(h.Timeout)
		}
	}
	if s.Ascending {
		out.Descending = new(bool)
	}
	if s.WithoutLabels || s.WithoutSelectors {
		send := []string{}
		if !s.WithoutLabels {
			send = append(send, sendLabels)
		}
		if !s.WithoutSelectors {
			send = append(send, sendSelectors)
		}
		out.Send = &send
	}
	return []byte(canonical(out)), nil
}

// MarshalJSON writes a text, or {secret, prefix}: the secret's name, never the
// secret.
func (h Header) MarshalJSON() ([]byte, error) {
	if h.Secret == "" {
		return []byte(canonical(h.Text)), nil
	}
	return []byte(canonical(headerJSON{Secret: h.Secret, Prefix: h.Text})), nil
}
