package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// Machine drives a store with random sequences of all operations that change items,
// including wrong calls of previous processes and edits by hand. After every step it
// compares the rows with a model of the rules. Time is the test's own, so that leases
// expire at an exact millisecond.
//
// open must return a migrated, empty database whose clock is now. It is called
// once; the rows are deleted between two sequences. A failure is reduced to a short
// sequence and reported step by step. To run longer than the tests do:
//
//	go test ./workqueue/sqlstore -run TestMachine -rapid.checks=5000 -rapid.steps=60
//
// and to repeat a failure: -rapid.seed with the seed in its message.
func Machine(t *testing.T, open func(t *testing.T, now func() time.Time) Harness) {
	clock := new(time.Time)
	h := open(t, func() time.Time { return *clock })
	testgroup.Check(t, 15, func(rt *rapid.T) {
		m := newMachine(t, h, clock)
		for range 2 { // otherwise most of a sequence passes before an item runs
			m.register(rt)
			m.enqueue(rt)
		}
		for range 2 { // of about thirty steps each
			rt.Repeat(map[string]func(*rapid.T){"": m.check, "step": m.next()})
		}
		m.sameAttempts(rt, m.model.IDs())
	})
}

// machine is one sequence: the store, the model, and what the processes of the
// sequence have claimed.
type machine struct {
	Harness

	test      *testing.T
	ctx       context.Context
	clock     *time.Time // of the store and the model
	model     *reference.Model
	history   *history
	processes []reference.Process // all that have registered, including previous ones
	made      int                 // instances so far

	before  []workqueue.Item // the items after the previous step
	step    string
	touched []int64 // items whose attempts the step may have changed
}

func newMachine(t *testing.T, h Harness, clock *time.Time) *machine {
	for _, statement := range []string{
		`DELETE FROM "BotWorkItemAttempts"`, `DELETE FROM "BotWorkQueueItems"`, `DELETE FROM "BotWorkers"`,
		`DELETE FROM "BotQueueStarts"`, `UPDATE "BotQueues" SET "Paused" = '0'`, setLimits(workqueue.QueueLimits{}),
	} {
		h.Exec(t, statement)
	}
	*clock = time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC)
	m := &machine{Harness: h, test: t, ctx: t.Context(), clock: clock, model: reference.New(clock), history: newHistory()}
	installation, err := h.Store.Installation(m.ctx)
	if err != nil {
		t.Fatal(err)
	}
	m.model.Epoch = installation.Epoch // set by previous sequences
	return m
}

// next returns a step that draws one action by weight. Items must pass through many
// states in a short sequence, so actions that advance them are frequent.
func (m *machine) next() func(*rapid.T) {
	type action struct {
		name   string
		weight int
		do     func(*rapid.T)
	}
	var all []action
	for _, a := range []action{
		{"assign", 7, m.assign},
		{"claim", 9, m.claim},
		{"finish", 9, m.finish},
		{"enqueue", 2, m.enqueue},
		{"register", 3, m.register},
		{"begin", 3, m.begin},
		{"beat", 3, m.beat},
		{"wait", 2, m.wait},
		{"edit an item", 2, m.editItem},
		{"progress", 1, m.progress},
		{"repeat", 2, m.repeat},
		{"cancel", 1, m.cancel},
		{"delete", 1, m.delete},
		{"edit a worker", 1, m.editWorker},
		{"pause", 1, m.pause},
		{"limit", 1, m.limit},
		{"drain", 1, m.drain},
		{"stop", 1, m.stop},
		{"release", 1, m.release},
		{"stranded", 1, m.stranded},
		{"raise the epoch", 1, m.raiseEpoch},
	} {
		all = append(all, slices.Repeat([]action{a}, a.weight)...)
	}
	return func(t *rapid.T) {
		a := all[fair(len(all)).Draw(t, "action")]
		t.Log(a.name)
		m.step, m.touched = a.name, nil
		a.do(t)
	}
}

// check compares all rows of the store with the model, then checks the
// invariants, which do not depend on the model.
func (m *machine) check(t *rapid.T) {
	got, err := m.Store.Items(m.ctx, workqueue.ItemFilter{Limit: 10_000})
	must(t, err)
	same(t, "items", reference.Plain(got), reference.Plain(m.model.List()))
	workers, err := m.Store.Workers(m.ctx)
	must(t, err)
	same(t, "workers", workers, m.model.WorkersByName())
	m.sameAttempts(t, m.touched)
	m.history.check(t, m.step, m.before, got)
	m.before = got
}

func (m *machine) sameAttempts(t *rapid.T, ids []int64) {
	for _, id := range ids {
		got, err := m.Store.Attempts(m.ctx, id)
		must(t, err)
		for i := range got {
			got[i].ID = 0
		}
		same(t, fmt.Sprintf("attempts of item %d", id), reference.PlainAttempts(got), reference.PlainAttempts(m.model.Attempts[id]))
		m.history.checkAttempts(t, id, got)
	}
}

// same ends the sequence if the store differs from the model.
func same(t *rapid.T, what string, got, want any) {
	t.Helper()
	// Most values are deeply equal; the rest may differ in the location of a time.
	if !reflect.DeepEqual(got, want) && asJSON(got) != asJSON(want) {
		t.Fatalf("%s: the store differs from the model (-model +store):\n%s", what, cmp.Diff(want, got))
	}
}

// sameIDs compares ids without order and duplicates.
func sameIDs(t *rapid.T, what string, got, want []int64) {
	t.Helper()
	if got, want := set(got), set(want); !slices.Equal(got, want) {
		t.Fatalf("%s = %v, want %v", what, got, want)
	}
}

func set(ids []int64) []int64 { return slices.Compact(slices.Sorted(slices.Values(ids))) }

func must(t interface {
	Helper()
	Fatal(args ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// one draws an element, and skips the step if there is none.
func one[T any](t *rapid.T, what string, from []T) T {
	if len(from) == 0 {
		t.Skip("no " + what)
	}
	return from[fair(len(from)).Draw(t, what)]
}

// seldom is true once in eight draws.
func seldom(t *rapid.T, what string) bool { return fair(8).Draw(t, what) == 7 }

// fair draws a number below n with nearly equal probabilities. rapid's own generators
// prefer small numbers: a sequence that always takes the first action and the
// first item makes no progress.
func fair(n int) *rapid.Generator[int] {
	return rapid.Custom(func(t *rapid.T) int {
		drawn := 0
		for span := 1; span < 4*n; span *= 2 {
			drawn *= 2
			if rapid.Bool().Draw(t, "bit") {
				drawn++
			}
		}
		return drawn % n
	})
}
