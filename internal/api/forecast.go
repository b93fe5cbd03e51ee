package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"botwork/workqueue/access"
	"botwork/workqueue/forecast"
)

const (
	// forecastTimeout bounds a forecast, with the wait for another one.
	forecastTimeout = 40 * time.Second

	// mostSimulated bounds the due items of a simulation, which is made in the memory of the server: 100,000 take 330 MB
	// and five seconds of two cores.
	mostSimulated = 100_000

	// forecastAge is how long the forecast of the present answers other requests.
	forecastAge = 10 * time.Second
)

func (a *API) registerForecast() {
	refuses := []int{http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusServiceUnavailable}
	register(a, operation{
		id: "forecast-get", method: http.MethodGet, path: "/forecast", summary: "Forecast when items are likely to start and end", needs: access.Viewer, refuses: refuses,
		doc: "Simulates many histories of the present queue and writes nothing, as `botwork forecast` does. An answer may be up to ten seconds old. One forecast is made at a time; others wait.",
	}, a.getForecast)
	register(a, operation{
		id: "forecast-ask", method: http.MethodPost, path: "/forecast", summary: "Forecast what a change would do", needs: access.Viewer, refuses: refuses,
		doc: "Compares the present with a what-if, for the same simulated durations, failures and arrivals. Nothing is changed or stored.",
	}, a.askForecast)
	register(a, operation{
		id: "forecast-accuracy", method: http.MethodGet, path: "/forecast/accuracy", summary: "Compare recorded forecasts with what happened", needs: access.Viewer, bound: true,
		refuses: []int{http.StatusNotFound, http.StatusServiceUnavailable},
		doc: "As `botwork forecast accuracy`: how many items ended by the time p95 of their forecast, how far their ends were from p50, and how many forecasts could not be compared. " +
			"Forecasts are recorded by the handler RecordForecast. An answer may be a minute old. A caller that is bound to several queues must name one.",
	}, a.getAccuracy)
}

// forecasts makes one forecast at a time, and keeps the latest one.
type forecasts struct {
	busy chan struct{} // holds a token while one is made

	mu    sync.Mutex
	query string
	at    time.Time
	kept  *forecast.Answer
}

func newForecasts() *forecasts { return &forecasts{busy: make(chan struct{}, 1)} }

// recent returns the answer to a query if it is recent.
func (f *forecasts) recent(query string) *forecast.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == nil || f.query != query || time.Since(f.at) > forecastAge {
		return nil
	}
	return f.kept
}

func (f *forecasts) keep(query string, answer *forecast.Answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.query, f.at, f.kept = query, time.Now(), answer
}

type forecastQuery struct {
	Until     time.Time `query:"until" doc:"look ahead until this time; a day, or until the present items have ended, if missing"`
	Items     []int64   `query:"item" maxItems:"100" doc:"items whose starts and ends are wanted, with commas"`
	Histories int       `query:"histories" minimum:"1" maximum:"2000" default:"200" doc:"how many histories are simulated"`
	Seed      int64     `query:"seed" minimum:"0" default:"1" doc:"the seed of all draws"`
}

type forecastRequest struct {
	Body *struct {
		Until         time.Time       `json:"until,omitzero" doc:"look ahead until this time; a day, or until the present items have ended, if missing"`
		Items         []int64         `json:"items,omitempty" maxItems:"100" doc:"items whose starts and ends are wanted"`
		Histories     int             `json:"histories,omitempty" minimum:"1" maximum:"2000" doc:"how many histories are simulated; 200 if missing"`
		Seed          int64           `json:"seed,omitempty" minimum:"0" doc:"the seed of all draws; 1 if missing"`
		Change        forecast.Change `json:"change,omitzero" doc:"what would be different"`
		MeetDeadlines bool            `json:"meetDeadlines,omitempty" doc:"search for the capacity that would meet all deadlines"`
	}
}

type forecastBody struct{ Body *forecast.Answer }

func (a *API) getForecast(ctx context.Context, in *forecastQuery) (*forecastBody, error) {
	q := forecast.Question{Params: forecast.Params{Histories: in.Histories, Seed: uint64(in.Seed), Until: in.Until}, Items: in.Items} //nolint:gosec // not negative
	ids := make([]string, len(in.Items))
	for i, id := range in.Items {
		ids[i] = strconv.FormatInt(id, 10)
	}
	key := fmt.Sprint(in.Until.UTC(), strings.Join(ids, ","), in.Histories, in.Seed)
	return a.forecast(ctx, q, key)
}

func (a *API) askForecast(ctx context.Context, in *forecastRequest) (*forecastBody, error) {
	q := forecast.Question{Params: forecast.Params{Seed: 1}}
	if b := in.Body; b != nil {
		q.Histories, q.Until, q.Change, q.Items, q.MeetDeadlines = b.Histories, b.Until, b.Change, slices.Clone(b.Items), b.MeetDeadlines
		if b.Seed > 0 {
			q.Seed = uint64(b.Seed)
		}
	}
	return a.forecast(ctx, q, "")
}

// forecast answers a question. key identifies a question whose answer may be kept; "" for none.
func (a *API) forecast(ctx context.Context, q forecast.Question, key string) (*forecastBody, error) {
	limited, cancel := context.WithTimeout(ctx, forecastTimeout)
	defer cancel()
	tooLong := problem(http.StatusServiceUnavailable, "forecast-too-long", "the forecast has not ended within %v", forecastTimeout).
		withHint("ask for fewer histories or a shorter time, or make it with botwork forecast").withHeader("Retry-After", "10")
	if answer := a.forecasts.recent(key); key != "" && answer != nil {
		return &forecastBody{answer}, nil
	}
	select {
	case a.forecasts.busy <- struct{}{}:
		defer func() { <-a.forecasts.busy }()
	case <-limited.Done():
		return nil, tooLong
	}
	if answer := a.forecasts.recent(key); key != "" && answer != nil {
		return &forecastBody{answer}, nil // made while this request waited
	}
	answer, err := a.makeForecast(limited, q)
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return nil, tooLong
	case err != nil:
		return nil, forecastProblem(err)
	}
	if key != "" {
		a.forecasts.keep(key, answer)
	}
	return &forecastBody{answer}, nil
}

func (a *API) makeForecast(ctx context.Context, q forecast.Question) (*forecast.Answer, error) {
	p, err := a.whyParams()
	if err != nil {
		return nil, err
	}
	p.MostDue = mostSimulated
	present, err := forecast.Read(ctx, a.store, p)
	if err != nil {
		return nil, err
	}
	if err := q.Validate(present.At()); err != nil {
		return nil, &forecast.ChangeError{Err: err}
	}
	return present.Ask(ctx, q)
}

// forecastProblem returns the problem of a question that cannot be answered.
func forecastProblem(err error) error {
	if e, ok := errors.AsType[*forecast.ItemError](err); ok {
		return problem(http.StatusNotFound, "not-found", "%v", e).about(e.Items[0])
	}
	if e, ok := errors.AsType[*forecast.ChangeError](err); ok {
		p := problem(http.StatusUnprocessableEntity, "invalid-forecast", "the forecast cannot be made")
		for line := range strings.SplitSeq(e.Error(), "\n") {
			p.Errors = append(p.Errors, Fault{Location: "body", Message: line})
		}
		return p
	}
	return err
}
