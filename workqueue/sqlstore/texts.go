package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

var _ workqueue.TextStore = (*textStore)(nil)

// textStore keeps the texts of the pipelines that ran.
type textStore struct {
	*connection
}

// textPage limits a listing of texts, textBatch the texts of one statement.
const textPage, textBatch = 100, 200

// textRow is BotPipelineTexts.
type textRow struct {
	ID       int64 `gorm:"column:Id;primaryKey"`
	Hash     string
	Pipeline string
	Body     string
	LoadedAt database.Time
	UsedAt   database.Time
}

func (textRow) TableName() string { return "BotPipelineTexts" }

// KeepTexts implements workqueue.TextStore.
func (s *textStore) KeepTexts(ctx context.Context, texts []workqueue.PipelineText) error {
	type row struct{ Hash, Pipeline, Body string }
	var batches []string
	for len(texts) > 0 {
		n := min(len(texts), textBatch)
		rows := make([]row, n)
		for i, t := range texts[:n] {
			rows[i] = row{t.Hash, t.Pipeline, t.Text}
		}
		batch, err := jsonRows(rows)
		if err != nil {
			return err
		}
		batches, texts = append(batches, batch), texts[n:]
	}
	return s.retry(ctx, "store texts of pipelines", func() (err error) {
		for range defineTries {
			if err = s.tx(ctx, func(tx *sql.Tx) error { return s.keepTexts(ctx, tx, batches) }); classify(err) != uniqueError {
				return err
			}
		}
		return err
	})
}

// keepTexts returns a unique violation if another process has stored one of the texts at the
// same time.
func (s *textStore) keepTexts(ctx context.Context, tx *sql.Tx, batches []string) error {
	for _, batch := range batches {
		for _, statement := range []string{"text_used", "text_new"} {
			if _, err := s.queries.exec(ctx, tx, statement, values{"rows": batch, "now": s.nowArg()}); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
	}
	return nil
}

// Texts implements workqueue.TextStore.
func (s *textStore) Texts(ctx context.Context, f workqueue.TextFilter) ([]workqueue.PipelineText, error) {
	var rows []textRow
	err := s.retry(ctx, "list texts of pipelines", func() error {
		rows = nil
		orm := s.listing.WithContext(ctx)
		if f.Pipeline != "" {
			orm = orm.Where(map[string]any{"Pipeline": f.Pipeline})
		}
		if f.Hash != "" {
			// "g" sorts after every hexadecimal digit, so this selects a prefix.
			orm = orm.Where(clause.Gte{Column: column("Hash"), Value: f.Hash}, clause.Lt{Column: column("Hash"), Value: f.Hash + "g"})
		}
		return orm.Order(clause.OrderByColumn{Column: column("UsedAt"), Desc: true}).Order(clause.OrderByColumn{Column: column("Id"), Desc: true}).
			Limit(orDefault(f.Limit, textPage)).Find(&rows).Error
	})
	texts := make([]workqueue.PipelineText, len(rows))
	for i, r := range rows {
		texts[i] = workqueue.PipelineText{Hash: r.Hash, Pipeline: r.Pipeline, Text: r.Body, LoadedAt: r.LoadedAt.Time, UsedAt: r.UsedAt.Time}
	}
	return texts, err
}

// RemoveTexts implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveTexts(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.cleanBatch(ctx, "remove old texts of pipelines", "clean_texts", s.aged(age, limit))
}
