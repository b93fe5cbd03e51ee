package sqlstore_test

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// forecastMethods are the methods that keep and read forecasts.
var forecastMethods = []method{
	{"RecordForecasts", 3, true, func(x *behindProxy) trial {
		name := x.make.Spec(storetest.WorkerOpts{}).Name
		var list []workqueue.ItemForecast
		for _, id := range x.make.Items(3, storetest.ItemOpts{}) {
			list = append(list, workqueue.ItemForecast{ItemID: id, Pipeline: name, EndP50: new(time.Now())})
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RecordForecasts(ctx, time.Now(), list)
			return err
		}, func() int { return x.forecasts(name) }}
	}},
	reading("ForecastOutcomes", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.ForecastOutcomes(ctx, workqueue.ForecastFilter{Queue: "default", Until: time.Now(), Limit: 1})
		return err
	}),
}

// forecasts counts the forecasts of a pipeline.
func (x *behindProxy) forecasts(pipeline string) int {
	return x.count(`SELECT COUNT(*) FROM "BotForecasts" WHERE "Pipeline" = $1`, pipeline)
}
