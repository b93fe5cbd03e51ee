package matching

import (
	"cmp"
	"context"
	"time"

	"botwork/internal/spans"
)

// RuleKind is how scores are made.
type RuleKind string

// The kinds of rules.
const (
	DefaultRule    RuleKind = "default"    // Score
	StaticRule     RuleKind = "static"     // a number, or the number of the first case that a worker satisfies
	MapRule        RuleKind = "map"        // the number that belongs to a label's value
	ExpressionRule RuleKind = "expression" // what an expression of job, selectors and worker comes to
	HTTPRule       RuleKind = "http"       // what a service answers
)

var ruleKinds = []RuleKind{DefaultRule, StaticRule, MapRule, ExpressionRule, HTTPRule}

// The defaults of a scoring.
const (
	DefaultBatchSize   = 20
	DefaultHTTPTimeout = 2 * time.Second
)

// Scoring is how the workers that may take an item are compared. The zero value
// is the default score, the highest first.
type Scoring struct {
	// Rule "" is DefaultRule.
	Rule RuleKind

	// Score is what a static rule gives whom no case fits, and a map rule whom
	// the map does not know.
	Score float64

	// Cases of a static rule are tried in their order.
	Cases []ScoreCase

	// Label and Scores of a map rule: the worker's label, and the score of each
	// of its values, written without quotes (Value.Plain).
	Label  string
	Scores map[string]float64

	// Expression of an expression rule.
	Expression string

	// HTTP of an HTTP rule.
	HTTP *HTTPScoring

	// Batch gives an expression or a service many workers at once, up to
	// BatchSize (0: DefaultBatchSize), and wants a list.
	Batch     bool
	BatchSize int

	// Ascending prefers the lowest score; otherwise the highest is the best.
	Ascending bool

	// WithoutLabels and WithoutSelectors keep the item's labels, or its
	// selectors, from the rule. It always gets the workers' labels.
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

// Header is the value of a request's header: a text, or a secret of the
// settings with a text before it. It prints as <secret> where it has one.
type Header struct {
	Text   string // the value, or what stands before the secret, such as "Bearer "
	Secret string // the secret's name; "": none
}

// Job is what a rule knows of the item.
type Job struct {
	Labels    Labels
	Selectors []Selector // those that have not expired
}

// Rule scores workers for an item.
type Rule interface {
	// Scores returns the score of each of the workers' labels, in their order;
	// all are finite. A rule that scores by batches of its own takes any number
	// of workers. It may be called from several goroutines at once.
	Scores(ctx context.Context, job Job, workers []Labels) ([]float64, error)
}

// Kind is the rule's kind.
func (s *Scoring) Kind() RuleKind { return cmp.Or(s.Rule, DefaultRule) }

// Better tells that the score a is better than b.
func (s *Scoring) Better(a, b float64) bool {
	if s.Ascending {
		return a < b
	}
	return a > b
}

// Size is how many workers a rule is given at once.
func (s *Scoring) Size() int {
	if !s.Batch {
		return 1
	}
	return cmp.Or(s.BatchSize, DefaultBatchSize)
}

// Shown is what the rule is given of a job.
func (s *Scoring) Shown(job Job) Job {
	if s.WithoutLabels {
		job.Labels = nil
	}
	if s.WithoutSelectors {
		job.Selectors = nil
	}
	return job
}

// Wait is how long one request may take.
func (h *HTTPScoring) Wait() time.Duration { return cmp.Or(h.Timeout, DefaultHTTPTimeout) }

// String hides what belongs to a secret.
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
