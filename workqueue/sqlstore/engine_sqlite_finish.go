package sqlstore

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// endsPlainly returns true: the other ends of the batch go in a second statement.
func (*sqliteEngine) endsPlainly([]workqueue.Finish) bool { return true }

// writePlain implements engine. It sets the value "now" to the time of the ends, for the other
// writes of this transaction, and adds the runs to ended.
func (*sqliteEngine) writePlain(ctx context.Context, s *connection, on runner, p plainEnds, v values, ended map[refRow]run) ([]refRow, error) {
	p.sort()
	now, err := s.clock(ctx, on)
	if err != nil {
		return nil, err
	}
	v["now"] = s.engine.timeArg(now)
	rows, err := plainJSON(p, now)
	if err != nil {
		return nil, err
	}
	n, err := s.queries.exec(ctx, on, "finish_plain", values{
		"worker": v["worker"], "instance": v["instance"], "rows": rows, "now": v["now"],
	})
	if err != nil {
		return nil, err
	}
	if int(n) != len(p) {
		return nil, errNotAll
	}
	refs := make([]refRow, len(p))
	for i := range p {
		refs[i] = p[i].refRow
		ended[refs[i]] = run{
			queue: p[i].queue, took: max(now.Sub(p[i].started), 0),
			ended: now, pipeline: seriesPipeline(p[i].pipeline), priority: p[i].priority,
		}
	}
	return refs, nil
}

// plainJSON encodes the ends as rows without names: [[id, fence, failures, start of the run,
// hash, output, retention in ms, times of the steps, log if one is kept]]. They end at now.
func plainJSON(p plainEnds, now time.Time) (string, error) {
	rows := []byte{'['}
	for i := range p {
		end := &p[i]
		if i > 0 {
			rows = append(rows, ',')
		}
		rows = append(strconv.AppendInt(append(rows, '['), end.ItemID, 10), ',')
		rows = append(strconv.AppendInt(rows, end.ItemFence, 10), ',')
		rows = append(strconv.AppendInt(rows, int64(end.Failures), 10), `,"`...)
		rows = append(end.startTime(now).AppendFormat(rows, database.TimeText), `",`...)
		for _, text := range []*string{end.NewHash, end.NewOutput} {
			quoted, err := json.Marshal(text)
			if err != nil {
				return "", err
			}
			rows = append(append(rows, quoted...), ',')
		}
		if end.KeepMs == nil {
			rows = append(rows, "null,"...)
		} else {
			rows = append(strconv.AppendInt(rows, *end.KeepMs, 10), ',')
		}
		times, err := json.Marshal(end.NewStepTimes)
		if err != nil {
			return "", err
		}
		rows = append(rows, times...)
		if end.NewTail != nil {
			tail, err := json.Marshal(end.NewTail)
			if err != nil {
				return "", err
			}
			rows = append(append(rows, ','), tail...)
		}
		rows = append(rows, ']')
	}
	return string(append(rows, ']')), nil
}

// startTime returns when the run of an end at now started. The statement replaces a time before
// the claim by that of the claim.
func (end *plainEnd) startTime(now time.Time) time.Time {
	if end.TookMs == nil {
		return end.started
	}
	return now.Add(-milliseconds(*end.TookMs))
}
