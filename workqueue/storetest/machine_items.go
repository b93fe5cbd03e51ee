package storetest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"botwork/workqueue"
)

// enqueue makes a few items of one kind: the database decides which of them gets which
// id.
func (m *machine) enqueue(t *rapid.T) {
	n := workqueue.NewItem{
		State:             rapid.SampledFrom([]workqueue.State{workqueue.Ready, workqueue.Pending}).Draw(t, "state"),
		Priority:          rapid.SampledFrom([]int{1000, 1001, 500, 499, -7}).Draw(t, "priority"),
		IntegrationConfig: Pipeline, CreatedBy: "machine",
		ResilienceConfig: rapid.SampledFrom([]workqueue.JSONText{"", `{"limit":1}`, `{"limit":2}`}).Draw(t, "policy"),
		Estimate:         rapid.SampledFrom([]time.Duration{0, time.Minute, 90 * time.Millisecond}).Draw(t, "estimate"),
		LimitKey:         rapid.SampledFrom([]string{"", "acme", "O'Neill"}).Draw(t, "limit key"),
	}
	if seldom(t, "later") {
		n.In = rapid.SampledFrom([]time.Duration{time.Millisecond, time.Minute}).Draw(t, "in")
	}
	if seldom(t, "expedited") {
		n.Selectors = expedited
	}
	if seldom(t, "has a deadline") {
		n.Deadline = m.model.Now().Add(rapid.SampledFrom([]time.Duration{time.Hour, time.Minute, time.Second, -time.Hour}).Draw(t, "deadline"))
	}
	if seldom(t, "has to finish") {
		within := rapid.SampledFrom([]time.Duration{time.Hour, time.Minute, 0}).Draw(t, "finish within")
		if n.FinishIn = within; within == 0 {
			n.FinishBy = m.model.Now().Add(rapid.SampledFrom([]time.Duration{time.Hour, time.Second, -time.Hour}).Draw(t, "finish by"))
		}
	}
	batch := make([]workqueue.NewItem, 1+fair(4).Draw(t, "items and one"))
	for i := range batch {
		batch[i] = n
	}
	enqueued, err := m.Store.Enqueue(m.ctx, batch)
	if n.PastFault(m.model.Now()) != nil {
		if bad, ok := errors.AsType[*workqueue.BadItemError](err); !ok || bad.Index != 0 {
			t.Fatalf("Enqueue of an item that can no longer start = %v, want a *BadItemError for the first", err)
		}
		return
	}
	must(t, err)
	ids := workqueue.IDs(enqueued)
	if len(set(ids)) != len(batch) {
		t.Fatalf("%d items got the ids %v", len(batch), ids)
	}
	m.model.Enqueue(ids, n)
}

func (m *machine) cancel(t *rapid.T) {
	id := m.item(t)
	m.sameError(t, Do(m.ctx, m.Store, workqueue.Cancel, id, "not needed"), m.model.Cancel(id, "not needed"))
}

func (m *machine) repeat(t *rapid.T) {
	id := m.item(t)
	m.sameError(t, Do(m.ctx, m.Store, workqueue.Repeat, id, ""), m.model.Repeat(id))
}

func (m *machine) delete(t *rapid.T) {
	id := m.item(t)
	m.sameError(t, Do(m.ctx, m.Store, workqueue.Delete, id, ""), m.model.Delete(id))
}

// editItem edits a row like a user would.
func (m *machine) editItem(t *rapid.T) {
	id := m.item(t)
	it := m.model.Items[id]
	set := func(columns string) {
		if n := m.Exec(m.test, fmt.Sprintf(`UPDATE "BotWorkQueueItems" SET %s WHERE "Id" = %d`, columns, id)); n != 1 {
			t.Fatalf("SET %s changed %d rows of item %d, want 1", columns, n, id)
		}
	}
	switch edit := rapid.SampledFrom([]string{"requeue", "requeue alone", "no lease", "urgent", "never assigned", "hide"}).Draw(t, "edit"); edit {
	case "requeue":
		set(`"State" = 0, "WorkerId" = NULL`)
		it.State, it.WorkerID = workqueue.Ready, nil
	case "requeue alone":
		set(`"State" = 0`)
		it.State = workqueue.Ready
	case "no lease":
		set(`"LeaseExpiresAt" = NULL`)
		it.LeaseExpiresAt = nil
	case "urgent":
		set(`"Priority" = 2000`)
		it.Priority = 2000
	case "never assigned":
		set(`"AssignedAt" = NULL`)
		it.AssignedAt = nil
	case "hide":
		set(`"DeletedAt" = ` + longAgo)
		it.DeletedAt = new(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
	}
}

// editWorker deletes a worker's row or clears its lease.
func (m *machine) editWorker(t *rapid.T) {
	w := one(t, "worker", m.model.WorkersByName())
	statement := fmt.Sprintf(`DELETE FROM "BotWorkers" WHERE "Id" = %d`, w.ID)
	if rapid.Bool().Draw(t, "only its lease") {
		statement = fmt.Sprintf(`UPDATE "BotWorkers" SET "LeaseExpiresAt" = NULL WHERE "Id" = %d`, w.ID)
		m.model.Workers[w.ID].LeaseExpiresAt = nil
	} else {
		delete(m.model.Workers, w.ID)
	}
	if n := m.Exec(m.test, statement); n != 1 {
		t.Fatalf("%s changed %d rows, want 1", statement, n)
	}
}

// pause pauses or resumes the queue with an edit of its row.
func (m *machine) pause(t *rapid.T) {
	m.model.Paused = seldom(t, "paused")
	m.Exec(m.test, fmt.Sprintf(`UPDATE "BotQueues" SET "Paused" = '%d'`, map[bool]int{true: 1}[m.model.Paused]))
}

// wait advances the clock, mostly to the exact instant at which something ends.
func (m *machine) wait(t *rapid.T) {
	next := m.model.Now().Add(one(t, "for", []time.Duration{time.Second, 20 * time.Second, 2 * time.Minute}))
	if future := m.futureInstants(); len(future) > 0 && fair(4).Draw(t, "until something ends") > 0 {
		next = one(t, "instant", future)
		if rapid.Bool().Draw(t, "and a millisecond") {
			next = next.Add(time.Millisecond)
		}
	}
	*m.clock = next
}

// futureInstants lists the instants at which time alone changes what may happen.
func (m *machine) futureInstants() []time.Time {
	var future []time.Time
	add := func(at *time.Time, plus time.Duration) {
		if at != nil && !at.Add(plus).Before(m.model.Now()) {
			future = append(future, at.Add(plus))
		}
	}
	for _, id := range m.model.IDs() {
		switch it := m.model.Items[id]; it.State {
		case workqueue.Ready, workqueue.Pending:
			if it.AvailableAt.After(m.model.Now()) {
				add(&it.AvailableAt, 0)
			}
		case workqueue.Assigned:
			add(it.AssignedAt, assignedFor)
		case workqueue.Blocked:
			add(it.LeaseExpiresAt, 0)
		}
	}
	for _, start := range m.model.Starts {
		add(start.At, ratePeriod)
	}
	for _, w := range m.model.WorkersByName() {
		if w.State != workqueue.WorkerStopped {
			add(w.LeaseExpiresAt, 0)
			add(&w.LastSeenAt, seenWithin)
		}
	}
	return future
}

// item draws an item.
func (m *machine) item(t *rapid.T) int64 {
	id := one(t, "item", m.model.IDs())
	m.touched = append(m.touched, id)
	return id
}

// sameError compares the meaning of two errors, not their text.
func (m *machine) sameError(t *rapid.T, got, want error) {
	t.Helper()
	if got, want := meaning(got), meaning(want); got != want {
		t.Fatalf("the store returns %q, want %q", got, want)
	}
}

func meaning(err error) string {
	var refused *workqueue.TransitionError
	var taken *workqueue.NameTakenError
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, workqueue.ErrNotFound):
		return "not found"
	case errors.Is(err, workqueue.ErrWorkerReplaced):
		return "replaced"
	case errors.As(err, &refused):
		return fmt.Sprintf("%s of item %d refused: %s", refused.Verb, refused.ItemID, refused.State)
	case errors.As(err, &taken):
		return strings.Join([]string{"name", taken.Name, "taken by", taken.InstanceID}, " ")
	default:
		return err.Error()
	}
}
