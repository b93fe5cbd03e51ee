package api

import (
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

func TestRedactFor(t *testing.T) {
	log := "log"
	held := workqueue.Item{State: workqueue.Blocked, Robot: new("bot-7")}
	waiting := workqueue.Item{State: workqueue.Pending, Robot: new("bot-7")}
	hidden, visible, encrypted := &workqueue.Queue{QueueAccess: workqueue.QueueAccess{Payloads: workqueue.PayloadsHidden}}, &workqueue.Queue{}, &workqueue.Queue{Encrypted: true}
	person := func(role access.Role) *access.Principal { return &access.Principal{Name: "bot-7", Role: role} }
	sealed := held
	sealed.Encrypted = true
	for _, c := range []struct {
		name string
		p    *access.Principal
		q    *workqueue.Queue
		it   workqueue.Item
		want bool
	}{
		{"a viewer", person(access.Viewer), visible, held, false},
		{"a viewer, hidden", person(access.Viewer), hidden, held, true},
		{"an operator, hidden", person(access.Operator), hidden, held, true},
		{"an editor, hidden", person(access.Editor), hidden, held, false},
		{"an admin, hidden", person(access.Admin), hidden, held, false},
		{"a viewer, encrypted queue", person(access.Viewer), encrypted, held, true},
		{"a viewer, encrypted item of a queue that is not", person(access.Viewer), visible, sealed, true},
		{"a viewer, no queue", person(access.Viewer), nil, held, true},
		{"the robot that holds it", person(access.Robot), hidden, held, false},
		{"the robot that held it", person(access.Robot), hidden, waiting, true},
		{"another robot", &access.Principal{Name: "bot-8", Role: access.Robot}, hidden, held, true},
		{"no caller", nil, hidden, held, true},
	} {
		it := c.it
		it.Payload, it.Output, it.Analytics, it.Metadata, it.LogTail = `1`, `2`, `3`, `{}`, &log
		got := redactFor(c.p, c.q, &it)
		gone := it.Payload == "" && it.Output == "" && it.Analytics == "" && it.Metadata == "" && it.LogTail == nil
		if got != c.want || gone != c.want {
			t.Errorf("%s: got %v and %+v, want hidden %v", c.name, got, it, c.want)
		}
	}
}
