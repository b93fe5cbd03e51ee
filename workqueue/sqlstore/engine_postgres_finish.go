package sqlstore

import (
	"context"

	"botwork/workqueue"
)

// endsPlainly requires that all ends of the batch are plain: one statement then locks all rows
// of the batch in the order of their ids.
func (*postgresEngine) endsPlainly(finishes []workqueue.Finish) bool {
	for i := range finishes {
		if !isPlain(&finishes[i]) {
			return false
		}
	}
	return true
}

// writePlain implements engine. The statement also updates the statistics.
func (*postgresEngine) writePlain(ctx context.Context, s *connection, on runner, p plainEnds, v values, _ map[refRow]run) ([]refRow, error) {
	p.sort()
	return s.queries.refs(ctx, on, "finish_plain", plainArrays(p, v))
}

// plainArrays passes the ends column by column.
func plainArrays(p plainEnds, v values) values {
	ids, fences, failures := make([]int64, len(p)), make([]int64, len(p)), make([]int64, len(p))
	hashes, outputs, times := make([]*string, len(p)), make([]*string, len(p)), make([]*string, len(p))
	var tails []*string // nil: no run has a log, the usual case
	kept, took := make([]*int64, len(p)), make([]*int64, len(p))
	for i := range p {
		end := &p[i]
		ids[i], fences[i], failures[i] = end.ItemID, end.ItemFence, int64(end.Failures)
		hashes[i], outputs[i], times[i], kept[i], took[i] = end.NewHash, end.NewOutput, end.NewStepTimes, end.KeepMs, end.TookMs
		if end.NewTail != nil && tails == nil {
			tails = make([]*string, len(p))
		}
		if end.NewTail != nil {
			tails[i] = end.NewTail
		}
	}
	return values{
		"worker": v["worker"], "instance": v["instance"], "now": v["now"],
		"ids": ids, "fences": fences, "failures": failures, "hashes": hashes, "outputs": outputs, "kept_ms": kept, "took_ms": took, "step_times": times, "tails": tails,
	}
}
