package api

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// queueChange is a change to the definition of a queue; Before is the zero value for a new one.
type queueChange struct{ Before, After *workqueue.Queue }

// namedQueues lists the queues to which a change may take items, besides those in which it finds them.
// Every change that a caller describes is checked by it: a new field that names a queue belongs here.
func namedQueues(change any) []string {
	switch c := change.(type) {
	case *workqueue.NewItem:
		return []string{cmp.Or(c.QueueName, workqueue.DefaultQueue)}
	case *workqueue.ItemUpdate:
		if c.Queue == "" {
			return nil
		}
		return []string{c.Queue}
	case queueChange:
		return append(movedTo(c), c.After.Name)
	default:
		panic("api: a change of an unknown kind") // a mistake in the program
	}
}

// movedTo lists the queues to which new and changed rules of escalation move items. The rules that were
// there before are those of whoever wrote them.
func movedTo(c queueChange) (queues []string) {
	before, _ := c.Before.Escalations() // none, if they were written by hand and cannot be read
	after, _ := c.After.Escalations()   // the check of the queue refuses what cannot be read
	for i := range after {
		same := func(old workqueue.Escalation) bool { return reflect.DeepEqual(old, after[i]) }
		if to := after[i].Rule.MoveTo; to != "" && !slices.ContainsFunc(before, same) {
			queues = append(queues, to)
		}
	}
	return queues
}

// storedBatch returns the key under which a batch is recorded. A bound caller has keys of its own: with
// the key of another caller it would get the ids of items in other queues, or the other caller would
// later find the batch done.
func storedBatch(ctx context.Context, key string) string {
	p := auth.From(ctx)
	if len(p.Queues) == 0 {
		return key
	}
	return access.Hash(string(p.Kind) + "\x00" + p.Name + "\x00" + key)[:32]
}

// mayReach refuses a change that names a queue which the caller may not use. location is where the
// queue is in the request.
func mayReach(ctx context.Context, change any, location string) *Problem {
	p := auth.From(ctx)
	for _, queue := range namedQueues(change) {
		if p.MayQueue(queue) {
			continue
		}
		refused := problemOf(mayQueue(ctx, queue))
		refused.Errors = []Fault{{Location: location, Message: "want a queue of the caller"}}
		return refused
	}
	return nil
}
