package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

var _ workqueue.SeriesStore = (*seriesStore)(nil)

// seriesStore keeps the statistics over time.
type seriesStore struct {
	*connection
}

// FoldSeries implements workqueue.SeriesStore.
func (s *seriesStore) FoldSeries(ctx context.Context, limit int) (taken int, err error) {
	limit = orDefault(limit, foldLimit)
	now, err := s.Now(ctx)
	if err != nil {
		return 0, err
	}
	for taken < limit {
		batch := min(foldBatch, limit-taken)
		var n int
		err := s.retry(ctx, "add to the statistics over time", func() error {
			return s.tx(ctx, func(tx *sql.Tx) (err error) {
				n, err = s.fold(ctx, tx, now, batch)
				return err
			})
		})
		if taken += n; err != nil {
			return taken, err
		}
		if n < batch {
			return taken, s.expire(ctx, now)
		}
	}
	return taken, nil
}

// periodKey identifies a row of BotStatistics.
type periodKey struct {
	resolution                    workqueue.Resolution
	start                         time.Time
	queue, pipeline, band, worker string
}

// hash keeps names case-sensitive: SQL Server compares the texts without case.
func (k *periodKey) hash() string {
	sum := sha256.Sum256([]byte(string(k.resolution) + "\x00" + k.start.Format(time.RFC3339) + "\x00" +
		k.queue + "\x00" + k.pipeline + "\x00" + k.band + "\x00" + k.worker))
	return hex.EncodeToString(sum[:])
}

// fold moves inserted rows to the sums of their minute, hour and day, in one transaction.
func (s *seriesStore) fold(ctx context.Context, tx *sql.Tx, now time.Time, limit int) (taken int, err error) {
	events, err := s.takeEvents(ctx, tx, limit)
	if err != nil || len(events) == 0 {
		return 0, err
	}
	names, err := s.workerNames(ctx, tx, events)
	if err != nil {
		return 0, err
	}
	sums := map[periodKey]*workqueue.SeriesFigures{}
	for _, e := range events {
		for _, r := range workqueue.Resolutions() {
			k := periodKey{r, r.Start(e.key.at), e.key.queue, e.key.pipeline, e.key.band, names[e.key.worker]}
			if k.start.Before(now.Add(-r.Kept())) {
				continue
			}
			if sums[k] == nil {
				sums[k] = &workqueue.SeriesFigures{}
			}
			sums[k].Count(e.event())
		}
	}
	return len(events), s.addSums(ctx, tx, sums)
}

// seriesRow is a row that transactions have inserted.
type seriesRow struct {
	key  seriesKey
	sums seriesSums
}

func (r *seriesRow) event() workqueue.SeriesEvent {
	return workqueue.SeriesEvent{Event: r.key.event, Kind: r.key.kind, Bucket: r.key.bucket, Count: r.sums.events, Ms: r.sums.ms}
}

func (s *seriesStore) takeEvents(ctx context.Context, tx *sql.Tx, limit int) ([]seriesRow, error) {
	rows, err := s.queries.query(ctx, tx, "series_fold", values{"limit_rows": limit})
	if err != nil {
		return nil, err
	}
	var events []seriesRow
	err = eachRow(rows, func() error {
		var r seriesRow
		var at database.Time
		var worker sql.NullInt64
		k := &r.key
		if err := rows.Scan(&at, &k.queue, &k.pipeline, &k.band, &worker, &k.event, &k.kind, &k.bucket, &r.sums.events, &r.sums.ms); err != nil {
			return err
		}
		k.at, k.worker, k.pipeline = at.Time, worker.Int64, seriesPipeline(k.pipeline)
		events = append(events, r)
		return nil
	})
	return events, err
}

// workerNames returns the names of the workers of events. A worker that was removed has one
// that is made of its id; 0, no worker, has none.
func (s *seriesStore) workerNames(ctx context.Context, tx *sql.Tx, events []seriesRow) (map[int64]string, error) {
	names := map[int64]string{}
	for _, e := range events {
		if id := e.key.worker; id != 0 {
			names[id] = fmt.Sprintf("worker %d", id)
		}
	}
	if len(names) == 0 {
		return names, nil
	}
	type row struct {
		WorkerID int64 `json:"WorkerId"`
	}
	var ids []row
	for _, id := range slices.Sorted(maps.Keys(names)) {
		ids = append(ids, row{id})
	}
	batch, err := jsonRows(ids)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries.query(ctx, tx, "series_workers", values{"rows": batch})
	if err != nil {
		return nil, err
	}
	err = eachRow(rows, func() error {
		var id int64
		var name string
		err := rows.Scan(&id, &name)
		names[id] = name
		return err
	})
	return names, err
}

// periodRow is a row of BotStatistics inside a JSON parameter.
type periodRow struct {
	Res, Starts, Queue, Pipe, BandName, Holder, Hash, Sums string
}

// addSums adds to the rows of the periods: it removes them and inserts the sums.
func (s *seriesStore) addSums(ctx context.Context, tx *sql.Tx, sums map[periodKey]*workqueue.SeriesFigures) error {
	byHash := make(map[string]periodKey, len(sums))
	for k := range sums {
		byHash[k.hash()] = k
	}
	if len(sums) == 0 {
		return nil // all events are older than what is kept
	}
	type hashRow struct{ Hash string }
	hashes := slices.Sorted(maps.Keys(byHash)) // two transactions lock rows in the same order
	named := make([]hashRow, len(hashes))
	for i, hash := range hashes {
		named[i] = hashRow{hash}
	}
	batch, err := jsonRows(named)
	if err != nil {
		return err
	}
	rows, err := s.queries.query(ctx, tx, "series_take", values{"rows": batch})
	if err != nil {
		return err
	}
	err = eachRow(rows, func() error {
		var hash, text string
		if err := rows.Scan(&hash, &text); err != nil {
			return err
		}
		figures, err := readFigures(text)
		if err == nil {
			sums[byHash[hash]].Add(&figures)
		}
		return err
	})
	if err != nil {
		return err
	}
	list := make([]periodRow, len(hashes))
	for i, hash := range hashes {
		k := byHash[hash]
		text, err := json.Marshal(sums[k])
		if err != nil {
			return err
		}
		list[i] = periodRow{
			string(k.resolution), k.start.Format(s.engine.dialect().jsonTime), k.queue, k.pipeline, k.band, k.worker, hash, string(text),
		}
	}
	if batch, err = jsonRows(list); err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, tx, "series_write", values{"rows": batch})
	return err
}

func readFigures(text string) (workqueue.SeriesFigures, error) {
	var figures workqueue.SeriesFigures
	if err := json.Unmarshal([]byte(text), &figures); err != nil {
		return figures, fmt.Errorf("a row of BotStatistics was changed by hand: %w", err)
	}
	return figures, nil
}

// expire removes rows of periods that are no longer kept.
func (s *seriesStore) expire(ctx context.Context, now time.Time) error {
	for _, r := range workqueue.Resolutions() {
		for _, statement := range []string{"series_expire", "gauge_expire"} {
			v := values{"resolution": string(r), "before": s.engine.timeArg(now.Add(-r.Kept())), "limit_rows": foldBatch}
			err := s.single(ctx, "remove old statistics over time", func(on runner) error {
				_, err := s.queries.exec(ctx, on, statement, v)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
