package scoring

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue/matching"
)

const (
	// maxAnswer is the largest response that is read, in bytes.
	maxAnswer = 1 << 20

	// parallel is how many requests of one call run at the same time.
	parallel = 8

	// patience bounds the time of all requests of a rule, in timeouts: a service that
	// is slow for each of a thousand workers must not delay a pass that long.
	patience = 5
)

// httpRule calls a service. If the service gives no score, the fallback is used. If
// it did not answer at all, this rule does not call it again.
type httpRule struct {
	matching.Scoring
	client  *http.Client
	header  http.Header
	address string // without the query, for errors
	log     zerolog.Logger

	said     sync.Once
	silent   atomic.Bool
	callTime atomic.Int64 // nanoseconds, the duration of all calls
}

func newHTTP(sc matching.Scoring, s Services) (matching.Rule, error) {
	address, err := url.Parse(sc.HTTP.URL)
	if err != nil {
		return nil, errors.New("invalid address") // without its text, which the error repeats
	}
	r := &httpRule{
		Scoring: sc, log: s.Log, header: http.Header{},
		address: (&url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path}).String(),
		client: &http.Client{Transport: s.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a redirect must not receive the secrets
		}},
	}
	for name, value := range sc.HTTP.Headers {
		text := value.Text
		if value.Secret != "" {
			secret, ok := "", false
			if s.Secrets != nil {
				secret, ok = s.Secrets(value.Secret)
			}
			if !ok {
				return nil, matching.Faults{{
					Path: []string{"http", "headers", name}, Message: fmt.Sprintf("the settings have no secret %q", value.Secret),
				}}
			}
			text += secret
		}
		r.header.Set(name, text)
	}
	r.header.Set("Content-Type", "application/json")
	r.header.Set("Accept", "application/json")
	return r, nil
}

// Scores implements matching.Rule.
func (r *httpRule) Scores(ctx context.Context, job matching.Job, workers []matching.Labels) ([]float64, error) {
	started := time.Now()
	defer func() { r.callTime.Add(int64(time.Since(started))) }()
	left := patience*r.HTTP.Wait() - time.Duration(r.callTime.Load())
	limited, cancel := context.WithTimeoutCause(ctx, max(left, 0), fmt.Errorf("requests took more than %v in all", patience*r.HTTP.Wait()))
	defer cancel()

	scores := make([]float64, len(workers))
	places := make(chan int)
	var senders sync.WaitGroup
	for range min(parallel, (len(workers)+r.Size()-1)/r.Size()) {
		senders.Go(func() {
			for i := range places {
				chunk := workers[i:min(i+r.Size(), len(workers))]
				copy(scores[i:], r.chunk(limited, job, chunk))
			}
		})
	}
	for i := 0; i < len(workers); i += r.Size() {
		places <- i
	}
	close(places)
	senders.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return scores, nil
}

// chunk scores the workers of one request, by the fallback if necessary.
func (r *httpRule) chunk(ctx context.Context, job matching.Job, workers []matching.Labels) []float64 {
	err := errors.New("the service did not answer an earlier request")
	if !r.silent.Load() {
		var scores []float64
		if scores, err = r.ask(ctx, job, workers); err == nil {
			return scores
		}
	}
	r.said.Do(func() {
		r.log.Warn().Err(err).Str("url", r.address).Msg("scoring service failed; using the fallback score")
	})
	if r.HTTP.Fallback == nil {
		return defaultScores(r.Shown(job), workers)
	}
	return slices.Repeat([]float64{*r.HTTP.Fallback}, len(workers))
}

func (r *httpRule) ask(ctx context.Context, job matching.Job, workers []matching.Labels) ([]float64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.HTTP.Wait(), fmt.Errorf("no answer within %v", r.HTTP.Wait()))
	defer cancel()
	sent := jobValues(&r.Scoring, job)
	workerValues(&r.Scoring, sent, workers)
	body, err := json.Marshal(sent)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.HTTP.URL, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the request cannot be created") // the error repeats the address
	}
	request.Header = r.header.Clone()
	response, err := r.client.Do(request)
	if err != nil {
		r.silent.Store(true)
		return nil, unanswered(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("got status %s, want 200 OK", response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		r.silent.Store(true)
		return nil, unanswered(ctx, err)
	}
	return r.answer(data, len(workers))
}

// unanswered returns the error of a request without a response, without its address:
// the query may contain secrets.
func unanswered(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if inURL, ok := errors.AsType[*url.Error](err); ok {
		return inURL.Err
	}
	return err
}

// answer reads a number, or a list of numbers where a batch was sent.
func (r *httpRule) answer(data []byte, workers int) ([]float64, error) {
	if len(data) > maxAnswer {
		return nil, fmt.Errorf("the answer is larger than %d bytes", maxAnswer)
	}
	var result any
	if err := json.Unmarshal(data, &result); err != nil {
		return nil, errors.New("the answer is not JSON, want a number, or a list of them for a batch")
	}
	return numbers(result, workers, r.Batch)
}
