package sqlstore

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"botwork/workqueue"
)

// plainStatement is the file that records plain ends. Only an engine for which
// that is cheaper by much has it.
const plainStatement = "finish_plain"

// errNotAll says that plain ends changed fewer items than they named; the transaction is
// rolled back, and the statement for all ends finds out which.
var errNotAll = errors.New("an item of a batch of results had lost its lease")

// isPlain reports whether an end is a success with nothing but an output, whose item is
// kept. The start and the queue of its claim replace what the general statement reads back.
func isPlain(f *workqueue.Finish) bool {
	return f.State == workqueue.Processed && f.Error == "" && f.ErrorKind == "" && f.Attempt == nil && f.Analytics == "" &&
		f.Progress == "" && f.Percent == nil && !f.Copy && f.Delete == "" && (f.Retain == nil || *f.Retain > 0) &&
		f.QueueName != "" && !f.StartedAt.IsZero()
}

// plainly reports whether plain ends of a batch use their own statement. PostgreSQL locks
// the rows of a batch in the order of their ids in one statement, so there all must be
// plain.
func (s *Store) plainly(finishes []workqueue.Finish) bool {
	if !s.queries.has(plainStatement) {
		return false
	}
	for i := range finishes {
		if s.dialect.finishKeeps && !isPlain(&finishes[i]) {
			return false
		}
	}
	return true
}

// plainEnds is the part of a batch that finish_plain records.
type plainEnds []plainEnd

type plainEnd struct {
	finishRow
	started time.Time
	queue   string
}

// write records the ends and returns their runs, unless the statement updates the
// statistics by itself. It sets the value "now" to the time of the ends, for whatever else
// ends in this transaction.
func (p plainEnds) write(ctx context.Context, s *Store, on runner, v values, told map[refRow]run) ([]refRow, error) {
	slices.SortFunc(p, func(a, b plainEnd) int { return a.compare(b.refRow) })
	if s.dialect.finishKeeps {
		return s.queries.refs(ctx, on, plainStatement, p.arrays(v))
	}
	now, err := s.clock(ctx, on)
	if err != nil {
		return nil, err
	}
	v["now"] = s.dialect.timeArg(now)
	rows, err := p.json(now)
	if err != nil {
		return nil, err
	}
	n, err := s.queries.exec(ctx, on, plainStatement, values{
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
		told[refs[i]] = run{queue: p[i].queue, took: max(now.Sub(p[i].started), 0)}
	}
	return refs, nil
}

// arrays carry the ends column by column.
func (p plainEnds) arrays(v values) values {
	ids, fences, failures := make([]int64, len(p)), make([]int64, len(p)), make([]int64, len(p))
	hashes, outputs := make([]*string, len(p)), make([]*string, len(p))
	kept, took := make([]*int64, len(p)), make([]*int64, len(p))
	for i := range p {
		end := &p[i]
		ids[i], fences[i], failures[i] = end.ItemID, end.ItemFence, int64(end.Failures)
		hashes[i], outputs[i], kept[i], took[i] = end.NewHash, end.NewOutput, end.KeepMs, end.TookMs
	}
	return values{
		"worker": v["worker"], "instance": v["instance"], "now": v["now"],
		"ids": ids, "fences": fences, "failures": failures, "hashes": hashes, "outputs": outputs, "kept_ms": kept, "took_ms": took,
	}
}

// json carries the ends row by row, without names: [[id, fence, failures, when the run
// began, hash, output, kept for ms]]. They end at now.
func (p plainEnds) json(now time.Time) (string, error) {
	rows := []byte{'['}
	for i := range p {
		end := &p[i]
		if i > 0 {
			rows = append(rows, ',')
		}
		rows = append(strconv.AppendInt(append(rows, '['), end.ItemID, 10), ',')
		rows = append(strconv.AppendInt(rows, end.ItemFence, 10), ',')
		rows = append(strconv.AppendInt(rows, int64(end.Failures), 10), `,"`...)
		rows = append(end.began(now).AppendFormat(rows, sqliteTime), `",`...)
		for _, text := range []*string{end.NewHash, end.NewOutput} {
			quoted, err := json.Marshal(text)
			if err != nil {
				return "", err
			}
			rows = append(append(rows, quoted...), ',')
		}
		if end.KeepMs == nil {
			rows = append(rows, "null]"...)
		} else {
			rows = append(strconv.AppendInt(rows, *end.KeepMs, 10), ']')
		}
	}
	return string(append(rows, ']')), nil
}

// began is when the run of an end at now began; the statement puts it not before its
// claim.
func (end *plainEnd) began(now time.Time) time.Time {
	if end.TookMs == nil {
		return end.started
	}
	return now.Add(-milliseconds(*end.TookMs))
}
