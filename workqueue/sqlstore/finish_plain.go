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

// errNotAll says that plain ends changed fewer items than they named; the
// transaction is rolled back, and the statement for all ends tells which.
var errNotAll = errors.New("an item of a batch of results had lost its lease")

// isPlain tells whether an end is a success that tells nothing but its output.
// Its claim's start and queue stand for what the general statement reads back.
func isPlain(f *workqueue.Finish) bool {
	return f.State == workqueue.Processed && f.Error == "" && f.ErrorKind == "" && f.Attempt == nil && f.Analytics == "" &&
		f.Progress == "" && f.Percent == nil && !f.Copy && f.Delete == "" && f.QueueName != "" && !f.StartedAt.IsZero()
}

// plainEnds is the part of a batch that finish_plain records.
type plainEnds struct {
	refs    []refRow
	started []time.Time // by the index of refs
	queues  []string    // likewise
	rows    []byte      // JSON, without the last bracket
}

// add takes a plain end. Ends have to come in the order of their claims.
func (p *plainEnds) add(row *finishRow, f *workqueue.Finish) error {
	p.refs = append(p.refs, row.refRow)
	p.started = append(p.started, f.StartedAt)
	p.queues = append(p.queues, f.QueueName)
	opening := byte(',')
	if len(p.rows) == 0 {
		opening = '['
	}
	p.rows = append(p.rows, opening, '[')
	p.rows = append(strconv.AppendInt(p.rows, row.ItemID, 10), ',')
	p.rows = append(strconv.AppendInt(p.rows, row.ItemFence, 10), ',')
	p.rows = append(strconv.AppendInt(p.rows, int64(row.Failures), 10), ',')
	for _, text := range []*string{row.NewHash, row.NewOutput} {
		if text == nil {
			p.rows = append(p.rows, "null,"...)
			continue
		}
		quoted, err := json.Marshal(*text)
		if err != nil {
			return err
		}
		p.rows = append(append(p.rows, quoted...), ',')
	}
	if row.KeepMs == nil {
		p.rows = append(p.rows, "null]"...)
	} else {
		p.rows = append(strconv.AppendInt(p.rows, *row.KeepMs, 10), ']')
	}
	return nil
}

// write records the ends and tells of their runs. The value "now" becomes the moment
// at which they have ended, for what else ends in this transaction.
func (p *plainEnds) write(ctx context.Context, s *Store, on runner, v values, told map[refRow]run) ([]refRow, error) {
	now, err := s.clock(ctx, on)
	if err != nil {
		return nil, err
	}
	v["now"] = s.dialect.timeArg(now)
	n, err := s.queries.exec(ctx, on, plainStatement, values{
		"worker": v["worker"], "instance": v["instance"], "rows": string(p.rows) + "]", "now": v["now"],
	})
	if err != nil {
		return nil, err
	}
	if int(n) != len(p.refs) {
		return nil, errNotAll
	}
	for i, ref := range p.refs {
		told[ref] = run{queue: p.queues[i], took: max(now.Sub(p.started[i]), 0)}
	}
	return slices.Clone(p.refs), nil
}
