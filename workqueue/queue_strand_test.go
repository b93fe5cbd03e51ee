package workqueue_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"botwork/workqueue"
)

// waitingItems counts as many items for any filter.
type waitingItems int64

func (n waitingItems) CountItems(context.Context, workqueue.ItemFilter) (int64, error) {
	return int64(n), nil
}

func TestCheckStranded(t *testing.T) {
	robots := workqueue.Queue{Name: "forms", Consumer: workqueue.ConsumerRobots}
	workers := workqueue.Queue{Name: "forms"}
	with := func(q workqueue.Queue, private bool, rights ...workqueue.QueueRobot) *workqueue.Queue {
		q.Private, q.Robots = private, rights
		return &q
	}
	reader, writer := workqueue.QueueRobot{Robot: "ann", Read: true}, workqueue.QueueRobot{Robot: "eve", Write: true}
	for _, c := range []struct {
		name          string
		before, after *workqueue.Queue
		waiting       waitingItems
		want          string // "": no error
	}{
		{"robots to workers", &robots, &workers, 3, `queue "forms" has 3 waiting items, and with this change robots can no longer take them`},
		{"workers to robots", &workers, &robots, 1, `queue "forms" has 1 waiting item, and with this change workers no longer run them`},
		{"many", &workers, &robots, workqueue.StrandedCounted, "100000 waiting items or more"},
		{"none wait", &workers, &robots, 0, ""},
		{"the default written out", &workers, &workqueue.Queue{Name: "forms", Consumer: workqueue.ConsumerWorkers}, 3, ""},
		{"the last reader is gone", with(robots, true, reader), with(robots, true, writer), 3, "no robot may take them any longer"},
		{"private for a reader", &robots, with(robots, true, reader), 3, ""},
		{"rights in a queue for workers", &workers, with(workers, true), 3, ""},
		{"nobody could read before", with(robots, true), with(robots, true, writer), 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.before.CheckStranded(t.Context(), c.waiting, c.after)
			stranded, ok := errors.AsType[*workqueue.StrandedError](err)
			if ok != (c.want != "") || ok && !strings.Contains(stranded.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
