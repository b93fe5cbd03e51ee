package api

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"botwork/workqueue/forecast"
)

// accuracyAge is how long a comparison answers other requests.
const accuracyAge = time.Minute

// accuracies makes one comparison at a time, since each may read many forecasts, and keeps the latest one.
type accuracies struct {
	busy chan struct{} // holds a token while one is made

	mu    sync.Mutex
	query string
	at    time.Time
	kept  *forecast.Accuracy
}

func newAccuracies() *accuracies { return &accuracies{busy: make(chan struct{}, 1)} }

func (c *accuracies) recent(query string) *forecast.Accuracy {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || c.query != query || time.Since(c.at) > accuracyAge {
		return nil
	}
	return c.kept
}

func (c *accuracies) keep(query string, a *forecast.Accuracy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.query, c.at, c.kept = query, time.Now(), a
}

type accuracyQuery struct {
	Since    time.Time `query:"since" doc:"only forecasts that were made from this time on; seven days ago if missing"`
	Queue    string    `query:"queue" maxLength:"200" doc:"only forecasts of items of this queue"`
	Pipeline string    `query:"pipeline" maxLength:"200" doc:"only forecasts of items of this pipeline"`
}

type accuracyBody struct{ Body *forecast.Accuracy }

func (a *API) getAccuracy(ctx context.Context, in *accuracyQuery) (*accuracyBody, error) {
	queue, err := queueFor(ctx, in.Queue, "query")
	if err != nil {
		return nil, err
	}
	if err := a.knownQueue(ctx, queue); err != nil {
		return nil, err
	}
	key := fmt.Sprint(in.Since.UTC(), "\n", queue, "\n", in.Pipeline)
	limited, cancel := context.WithTimeout(ctx, forecastTimeout)
	defer cancel()
	select {
	case a.accuracies.busy <- struct{}{}:
		defer func() { <-a.accuracies.busy }()
	case <-limited.Done():
		return nil, problem(http.StatusServiceUnavailable, "forecast-too-long", "other comparisons have not ended within %v", forecastTimeout).withHeader("Retry-After", "10")
	}
	if kept := a.accuracies.recent(key); kept != nil {
		return &accuracyBody{kept}, nil
	}
	made, err := forecast.Compare(limited, a.store, forecast.AccuracyParams{Queue: queue, Pipeline: in.Pipeline, Since: in.Since})
	if err == nil {
		a.accuracies.keep(key, made)
	}
	return &accuracyBody{made}, err
}
