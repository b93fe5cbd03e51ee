package sqlstore_test

import (
	"context"
	"strings"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

const countTexts = `SELECT COUNT(*) FROM "BotPipelineTexts" WHERE "Pipeline" = $1`

// twoTexts returns texts of a pipeline that no other trial uses.
func (x *behindProxy) twoTexts() (pipeline string, texts []workqueue.PipelineText) {
	pipeline = x.make.Spec(storetest.WorkerOpts{}).Name
	for _, digit := range []string{"a", "b"} {
		texts = append(texts, workqueue.PipelineText{Hash: strings.Repeat(digit, 64), Pipeline: pipeline, Text: "steps: []"})
	}
	return pipeline, texts
}

// textMethods are the methods for the texts of pipelines.
var textMethods = []method{
	{"KeepTexts", 2, true, func(x *behindProxy) trial {
		pipeline, texts := x.twoTexts()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.KeepTexts(ctx, texts) },
			func() int { return x.count(countTexts, pipeline) }}
	}},
	{"RemoveTexts", 2, true, func(x *behindProxy) trial {
		pipeline, texts := x.twoTexts()
		if err := x.way.KeepTexts(x.Context(), texts); err != nil {
			x.Fatal(err)
		}
		x.byHand(`UPDATE "BotPipelineTexts" SET "UsedAt" = '2001-01-01' WHERE "Pipeline" = '%s'`, pipeline)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RemoveTexts(ctx, years, 0)
			return err
		}, func() int { return 2 - x.count(countTexts, pipeline) }}
	}},
	reading("Texts", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Texts(ctx, workqueue.TextFilter{})
		return err
	}),
}
