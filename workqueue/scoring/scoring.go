// Package scoring creates the rules that package matching describes, ready to score
// workers. Expressions are compiled and services are called only here, so that the
// queue depends on neither.
package scoring

import (
	"context"
	"net/http"

	"github.com/rs/zerolog"

	"botwork/workqueue/matching"
)

// Services are what rules need in addition to their scoring. The zero value is enough
// for every rule that needs no secret.
type Services struct {
	// Secrets returns a secret of the settings by its name; nil has none.
	Secrets func(name string) (value string, ok bool)

	// Log gets a warning when a rule falls back on another score.
	Log zerolog.Logger

	// Transport sends requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
}

// New returns the rule of a scoring. Its error is matching.Faults if the scoring is
// invalid.
//
// Each pass creates new rules: a rule logs once that it had to fall back, and the
// same rule does not call a service again that does not answer.
func (s Services) New(sc matching.Scoring) (matching.Rule, error) {
	if err := sc.Validate(); err != nil {
		return nil, err
	}
	switch sc.Kind() {
	case matching.StaticRule:
		return &staticRule{sc}, nil
	case matching.MapRule:
		return &mapRule{sc}, nil
	case matching.ExpressionRule:
		return newExpression(sc, s)
	case matching.HTTPRule:
		return newHTTP(sc, s)
	}
	return &defaultRule{sc}, nil
}

// Check returns the faults of a distribution, including its expression. It needs no
// secrets, so that it can run without any. Its error is matching.Faults.
func Check(d matching.Distribution) error {
	if err := d.Validate(); err != nil || d.Scoring == nil {
		return err
	}
	return CheckScoring(*d.Scoring, "scoring")
}

// CheckScoring checks the expression of an otherwise valid scoring; path leads to the
// scoring.
func CheckScoring(sc matching.Scoring, path ...string) error {
	if sc.Kind() != matching.ExpressionRule {
		return nil
	}
	if _, err := compile(sc); err != nil {
		return matching.Faults{{Path: append(path, "expression"), Message: err.Error()}}
	}
	return nil
}

// SecretsOf returns the names of the secrets in a scoring, by the header of its
// requests that uses each.
func SecretsOf(sc *matching.Scoring) map[string]string {
	secrets := map[string]string{}
	if sc == nil || sc.HTTP == nil {
		return secrets
	}
	for header, value := range sc.HTTP.Headers {
		if value.Secret != "" {
			secrets[header] = value.Secret
		}
	}
	return secrets
}

// defaultRule scores by matching.Score.
type defaultRule struct{ matching.Scoring }

func (r *defaultRule) Scores(_ context.Context, job matching.Job, workers []matching.Labels) ([]float64, error) {
	return defaultScores(r.Shown(job), workers), nil
}

func defaultScores(job matching.Job, workers []matching.Labels) []float64 {
	scores := make([]float64, len(workers))
	for i, labels := range workers {
		scores[i] = matching.Score(job.Labels, job.Selectors, labels)
	}
	return scores
}

// staticRule gives the score of the first case that a worker satisfies.
type staticRule struct{ matching.Scoring }

func (r *staticRule) Scores(_ context.Context, _ matching.Job, workers []matching.Labels) ([]float64, error) {
	scores := make([]float64, len(workers))
	for i, labels := range workers {
		scores[i] = r.of(labels)
	}
	return scores, nil
}

func (r *staticRule) of(labels matching.Labels) float64 {
	for _, c := range r.Cases {
		if matching.Satisfied(c.When, labels) {
			return c.Score
		}
	}
	return r.Score
}

// mapRule gives the score of a label's value.
type mapRule struct{ matching.Scoring }

func (r *mapRule) Scores(_ context.Context, _ matching.Job, workers []matching.Labels) ([]float64, error) {
	scores := make([]float64, len(workers))
	for i, labels := range workers {
		scores[i] = r.Score
		if label, there := labels[r.Label]; there {
			if score, known := r.Scoring.Scores[label.Plain()]; known {
				scores[i] = score
			}
		}
	}
	return scores, nil
}

// jobValues is the part of a job that is sent to expressions and services.
func jobValues(sc *matching.Scoring, job matching.Job) map[string]any {
	sent := map[string]any{}
	if !sc.WithoutLabels {
		sent["job"] = job.Labels.Any()
	}
	if !sc.WithoutSelectors {
		selectors := make([]any, len(job.Selectors))
		for i, s := range job.Selectors {
			selectors[i] = s.Any()
		}
		sent["selectors"] = selectors
	}
	return sent
}

// workerValues puts the workers beside the job: one as worker, many as workers.
func workerValues(sc *matching.Scoring, sent map[string]any, workers []matching.Labels) {
	if !sc.Batch {
		sent["worker"] = workers[0].Any()
		return
	}
	list := make([]any, len(workers))
	for i, labels := range workers {
		list[i] = labels.Any()
	}
	sent["workers"] = list
}
