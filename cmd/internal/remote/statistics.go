package remote

import (
	"context"
	"net/url"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/report"
)

// Series returns the statistics over time.
func (s *Server) Series(ctx context.Context, p workqueue.SeriesParams) (workqueue.Series, error) {
	query := stretch(p.From, p.Until)
	set(query, map[string]string{"by": string(p.By), "queue": p.Queue, "pipeline": p.Pipeline, "worker": p.Worker, "band": p.Band, "group": string(p.Group)})
	return get[workqueue.Series](ctx, s, query, "stats")
}

// Report returns what went wrong in a stretch of time. The server does not know a zone without a
// name, as the one of this machine may be; days begin in UTC then.
func (s *Server) Report(ctx context.Context, p report.Params) (*report.Report, error) {
	query := stretch(p.Since, p.Until)
	set(query, map[string]string{"queue": p.Queue, "pipeline": p.Pipeline})
	if p.Zone != nil && p.Zone != time.Local {
		query.Set("timezone", p.Zone.String())
	}
	return get[*report.Report](ctx, s, query, "report")
}

// stretch writes a stretch of time; a zero until is now.
func stretch(since, until time.Time) url.Values {
	query := url.Values{"since": {since.UTC().Format(time.RFC3339Nano)}}
	if !until.IsZero() {
		query.Set("until", until.UTC().Format(time.RFC3339Nano))
	}
	return query
}

// set adds the parameters that are not empty.
func set(query url.Values, values map[string]string) {
	for name, value := range values {
		if value != "" {
			query.Set(name, value)
		}
	}
}
