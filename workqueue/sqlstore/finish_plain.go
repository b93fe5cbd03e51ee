package sqlstore

import (
	"context"
	"errors"
	"sort"
	"time"

	"botwork/workqueue"
)

// errNotAll reports that plain ends changed fewer items than they named. The transaction is
// rolled back, and the statement for all ends finds out which.
var errNotAll = errors.New("an item of a batch of results had lost its lease")

// isPlain reports whether an end is a success that sets only an output and a log and keeps the item. Its
// start, queue, pipeline, priority and due time, known from the claim, replace what the general statement
// reads back.
func isPlain(f *workqueue.Finish) bool {
	return f.State == workqueue.Processed && f.Error == "" && f.ErrorKind == "" && f.Attempt == nil && f.Analytics == "" &&
		f.Progress == "" && f.Percent == nil && !f.Copy && f.Delete == "" && (f.Retain == nil || *f.Retain > 0) &&
		f.QueueName != "" && f.Pipeline != "" && !f.StartedAt.IsZero() && !f.DueAt.IsZero()
}

// plainEnds are the ends that the statement finish_plain records.
type plainEnds []plainEnd

type plainEnd struct {
	finishRow
	started  time.Time
	queue    string
	pipeline string // or a whole one
	priority int
}

// sort puts the ends in the order in which all statements lock items: by id.
func (p plainEnds) sort() {
	sort.Slice(p, func(i, k int) bool { return p[i].compare(p[k].refRow) < 0 })
}

// writePlain is called only if endsPlainly returns true.
func (anyEngine) writePlain(context.Context, *connection, runner, plainEnds, values, map[refRow]run) ([]refRow, error) {
	return nil, errors.ErrUnsupported
}
