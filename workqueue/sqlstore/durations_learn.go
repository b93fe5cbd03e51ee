package sqlstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue/learned"
)

// learnedRow is a row inside a JSON parameter.
type learnedRow struct {
	KeyHash              string
	Kind, Pipeline, Name string
	OldVersion           int64
	Runs                 int64
	MeanMs               float64
	P90Ms                int64
	ErrorMs              float64
	Histogram            string
}

// keyHash makes keys case-sensitive: SQL Server compares the texts without case.
func keyHash(k learned.Key) string {
	sum := sha256.Sum256([]byte(string(k.Kind) + "\x00" + k.Pipeline + "\x00" + k.Name))
	return hex.EncodeToString(sum[:])
}

// errLearnedMeanwhile reports that another process has changed a row since it was read. Writing
// the computed value would lose that process's runs, so Learn reads again.
var errLearnedMeanwhile = errors.New("another process updated the same durations at the same time")

// Learn implements learned.Store.
func (s *durationStore) Learn(ctx context.Context, of []learned.Runs) error {
	if len(of) == 0 {
		return nil
	}
	// In the order of hashes, so that two processes lock rows in the same order.
	runs := make(map[string]learned.Runs, len(of))
	var keys []string
	for _, r := range of {
		hash := keyHash(r.Key)
		runs[hash] = r
		keys = append(keys, hash)
	}
	slices.SortFunc(keys, cmp.Compare[string])
	return s.retry(ctx, "learn durations", func() (err error) {
		for range defineTries {
			err = s.tx(ctx, func(tx *sql.Tx) error { return s.learn(ctx, tx, keys, runs) })
			if !errors.Is(err, errLearnedMeanwhile) && classify(err) != uniqueError {
				return err
			}
		}
		return err
	})
}

// learn reads, computes and writes. The versions alone keep it correct; the locks of the first
// statement only avoid retries.
func (s *durationStore) learn(ctx context.Context, tx *sql.Tx, keys []string, runs map[string]learned.Runs) error {
	known, err := s.durationsOf(ctx, tx, keys)
	if err != nil {
		return err
	}
	var present, missing []learnedRow
	for _, hash := range keys {
		r := runs[hash]
		was, ok := known[hash]
		if !ok {
			was = &durationRow{}
		}
		l := was.learned()
		l.Learn(r)
		row := learnedRow{
			KeyHash: hash, Kind: string(r.Key.Kind), Pipeline: r.Key.Pipeline, Name: r.Key.Name, OldVersion: was.Version,
			Runs: l.Runs, MeanMs: l.MeanMs, P90Ms: ms(l.P90()), ErrorMs: l.ErrorMs, Histogram: string(l.Classes.JSON()),
		}
		if ok {
			present = append(present, row)
		} else {
			missing = append(missing, row)
		}
	}
	for _, part := range []struct {
		statement string
		rows      []learnedRow
	}{{"learn", present}, {"learn_new", missing}} {
		if len(part.rows) == 0 {
			continue
		}
		batch, err := jsonRows(part.rows)
		if err != nil {
			return err
		}
		n, err := s.queries.exec(ctx, tx, part.statement, values{"rows": batch, "now": s.nowArg()})
		if err != nil {
			return fmt.Errorf("%s: %w", part.statement, err)
		}
		if n != int64(len(part.rows)) {
			return errLearnedMeanwhile
		}
	}
	return nil
}

// durationsOf reads the rows for keys, given by their hashes.
func (s *durationStore) durationsOf(ctx context.Context, tx *sql.Tx, keys []string) (map[string]*durationRow, error) {
	type row struct{ KeyHash string }
	batch := make([]row, len(keys))
	for i, hash := range keys {
		batch[i] = row{hash}
	}
	text, err := jsonRows(batch)
	if err != nil {
		return nil, err
	}
	rows, err := s.queries.query(ctx, tx, "durations_of", values{"rows": text})
	if err != nil {
		return nil, err
	}
	known := make(map[string]*durationRow, len(keys))
	err = eachRow(rows, func() error {
		r := &durationRow{}
		err := rows.Scan(&r.KeyHash, &r.Kind, &r.Pipeline, &r.Name, &r.Runs, &r.MeanMs, &r.ErrorMs, &r.Histogram, &r.Version, &r.UpdatedAt)
		known[r.KeyHash] = r
		return err
	})
	return known, err
}
