package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// forecastStore implements workqueue.ForecastStore.
type forecastStore struct {
	*connection
}

var _ workqueue.ForecastStore = (*forecastStore)(nil)

// forecastRow is a forecast inside a JSON parameter.
type forecastRow struct {
	ItemID                         int64 `json:"ItemId"`
	Named                          string
	Start50, Start95, End50, End95 *string
}

// RecordForecasts implements workqueue.ForecastStore.
func (s *forecastStore) RecordForecasts(ctx context.Context, made time.Time, list []workqueue.ItemForecast) (kept int, err error) {
	if len(list) == 0 {
		return 0, nil
	}
	text := func(at *time.Time) *string {
		if at == nil {
			return nil
		}
		return new(at.UTC().Format(s.engine.dialect().jsonTime))
	}
	rows := make([]forecastRow, len(list))
	for i := range list {
		f := &list[i]
		rows[i] = forecastRow{f.ItemID, seriesPipeline(f.Pipeline), text(f.StartP50), text(f.StartP95), text(f.EndP50), text(f.EndP95)}
	}
	batch, err := jsonRows(rows)
	if err != nil {
		return 0, err
	}
	err = s.retry(ctx, "keep forecasts", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "forecasts_add", values{"made": s.engine.timeArg(made), "rows": batch})
			kept = int(n)
			return err
		})
	})
	return kept, err
}

// ForecastOutcomes implements workqueue.ForecastStore.
func (s *forecastStore) ForecastOutcomes(ctx context.Context, f workqueue.ForecastFilter) (list []workqueue.ForecastOutcome, err error) {
	v := values{
		"since": s.engine.timeArg(f.Since), "until": s.engine.timeArg(f.Until), "before_id": f.BeforeID, "queue": nil, "pipeline": nil,
		"limit_rows": min(orDefault(f.Limit, workqueue.MaxForecasts), workqueue.MaxForecasts),
	}
	if f.Queue != "" {
		v["queue"] = f.Queue
	}
	if f.Pipeline != "" {
		v["pipeline"] = seriesPipeline(f.Pipeline) // as it is kept
	}
	err = s.retry(ctx, "read forecasts and what happened", func() error {
		list = nil
		rows, err := s.reading.query(ctx, s.readers, "forecast_outcomes", v)
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var one workqueue.ForecastOutcome
			var made, start50, start95, end50, end95, finished database.Time
			var state sql.NullInt64
			var kind nullText
			if err := rows.Scan(&one.ID, &made, &one.ItemID, &one.Queue, &one.Pipeline, &start50, &start95, &end50, &end95,
				&state, &kind, &finished, &one.Deleted, &one.Changed); err != nil {
				return err
			}
			one.MadeAt, one.Gone = made.Time, !state.Valid
			one.StartP50, one.StartP95, one.EndP50, one.EndP95 = start50.Pointer(), start95.Pointer(), end50.Pointer(), end95.Pointer()
			one.State, one.ErrorKind, one.FinishedAt = workqueue.State(state.Int64), workqueue.ErrorKind(kind), finished.Pointer()
			list = append(list, one)
			return nil
		})
	})
	return list, err
}
