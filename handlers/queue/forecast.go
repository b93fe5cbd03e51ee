package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/pipelines"
	"botwork/workqueue/forecast"
)

// errNoForecast reports that the step ran outside of `botwork run`.
var errNoForecast = handlers.Permanent(errors.New("there is no queue here to forecast; hint: botwork run, or botwork run --once PIPELINE"))

// ForecastStore is what a RecordForecast step reads and writes.
type ForecastStore = forecast.RecordStore

func forecastKind(s Services) handlers.Kind {
	return handlers.Kind{
		Name: "RecordForecast", Summary: "Record when waiting items are likely to start and end",
		Doc: `Makes the forecast of botwork forecast and records when waiting items are likely to start and end, for botwork forecast accuracy,
which compares that with what happened. Items count that are due and have not started; if there are more than items, the step draws which.

The step needs memory and processor time like botwork forecast: about nine seconds and 350 MB for 100,000 items. With more items it
simulates fewer histories. It changes no item. It is safe to run twice: it then makes two records. CleanUp removes old ones.`,
		Output: "{waiting, recorded, histories, at}: how many items wait, of how many the forecast was recorded, how many histories were simulated; the time of the forecast.",
		OutputShape: handlers.Always(handlers.ObjectShape(map[string]handlers.Shape{
			"waiting": handlers.WholeShape, "recorded": handlers.WholeShape, "histories": handlers.WholeShape, "at": handlers.TimeShape,
		})),
		Example: `- handler: RecordForecast
  with: {items: 500}
`,
		New: func() handlers.Handler {
			return &forecastStep{services: s, Items: forecast.MostRecorded, Histories: forecast.DefaultHistories}
		},
	}
}

type forecastStep struct {
	services Services

	Items     int `json:"items" doc:"of how many items the forecast is recorded at most, 1 to 1000"`
	Histories int `json:"histories" doc:"how many histories are simulated, 20 to 2000"`
}

// Validate implements handlers.Validator.
func (f *forecastStep) Validate() error {
	var errs []error
	if f.Items < 1 || f.Items > forecast.MostRecorded {
		errs = append(errs, handlers.WrongParam("items", fmt.Sprintf("got %d, want 1 to %d", f.Items, forecast.MostRecorded)))
	}
	if f.Histories < forecast.LeastHistories || f.Histories > forecast.MostHistories {
		errs = append(errs, handlers.WrongParam("histories", fmt.Sprintf("got %d, want %d to %d", f.Histories, forecast.LeastHistories, forecast.MostHistories)))
	}
	return errors.Join(errs...)
}

// Handle implements handlers.Handler.
func (f *forecastStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	var store ForecastStore
	var catalogue *pipelines.Catalogue
	if f.services.Forecast != nil {
		store, catalogue = f.services.Forecast()
	}
	if store == nil || catalogue == nil {
		return nil, errNoForecast
	}
	passes, leftOut := SystemPipelines(f.services, catalogue.All(), zerolog.Nop())
	for _, err := range leftOut {
		call.Log.Warn().Err(err).Msg("left out of the forecast")
	}
	r, err := forecast.Record(ctx, store, WhyParams(f.services, catalogue, store, passes), forecast.RecordParams{Histories: f.Histories, Items: f.Items})
	if err != nil {
		return nil, err
	}
	reportCounts(call, call.Log, "recorded a forecast", counter{"waiting", r.Waiting}, counter{"recorded", r.Kept})
	return map[string]any{"waiting": r.Waiting, "recorded": r.Kept, "histories": r.Histories, "at": r.At}, nil
}
