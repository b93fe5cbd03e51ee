package remote

import (
	"context"
	"net/url"
	"time"

	"botwork/workqueue/forecast"
)

// Forecast answers a question about the present queue of the server.
func (s *Server) Forecast(ctx context.Context, q forecast.Question) (*forecast.Answer, error) {
	body := struct {
		Until         time.Time       `json:"until,omitzero"`
		Items         []int64         `json:"items,omitempty"`
		Histories     int             `json:"histories"`
		Seed          uint64          `json:"seed"`
		Change        forecast.Change `json:"change,omitzero"`
		MeetDeadlines bool            `json:"meetDeadlines,omitempty"`
	}{q.Until, q.Items, q.Histories, q.Seed, q.Change, q.MeetDeadlines}
	answer := &forecast.Answer{}
	err := s.api.Post(ctx, "/forecast", body, answer)
	return answer, s.failed(err)
}

// ForecastAccuracy compares the forecasts that were recorded with what happened.
func (s *Server) ForecastAccuracy(ctx context.Context, p forecast.AccuracyParams) (*forecast.Accuracy, error) {
	query := url.Values{}
	if !p.Since.IsZero() {
		query.Set("since", p.Since.UTC().Format(time.RFC3339Nano))
	}
	set(query, map[string]string{"queue": p.Queue, "pipeline": p.Pipeline})
	return get[*forecast.Accuracy](ctx, s, query, "forecast", "accuracy")
}
