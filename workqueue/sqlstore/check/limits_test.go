package check_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// failedItem inserts an item whose last failure started long ago and which was rescheduled
// after it, as the program does. Its policy is written by hand: Enqueue refuses one that cannot
// be read.
func (x *checked) failedItem(o storetest.ItemOpts, failures int) int64 {
	x.Helper()
	o.Priority = 970
	policy := o.Policy
	o.Policy = ""
	it := x.Item(o)
	if policy != "" {
		x.set(it.ID, `ResilienceConfig = '%s'`, policy)
	}
	if o.State != workqueue.Cancelled {
		x.attempt(it.ID, max(it.Fence-1, 1), "failed", longAgo)
	}
	if o.State == workqueue.Ready || o.State == workqueue.Assigned {
		x.set(it.ID, `Fence = 1`)
	}
	if o.State == workqueue.Blocked || o.State == workqueue.Processed {
		x.set(it.ID, `Fence = 2`)
	}
	x.set(it.ID, `RetryCount = %d`, failures)
	return it.ID
}

// TestCheckAttemptLimits checks items at their limit and above it, by the source of the limit.
func TestCheckAttemptLimits(t *testing.T) {
	const check = workqueue.CheckAttemptLimit
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		x.exec(`INSERT INTO "BotQueues" ("Name", "ResilienceConfig") VALUES ('once', '{"limit": 1}')`)
		for _, tt := range []struct {
			name    string
			item    storetest.ItemOpts
			allowed int    // correct number of failures
			wanted  string // for one more failure; "" if the limit is unknown
		}{
			{"waiting", storetest.ItemOpts{}, 2, "at most 3 (the default)"},
			{"assigned", storetest.ItemOpts{State: workqueue.Assigned}, 2, "at most 3 "},
			{"running", storetest.ItemOpts{State: workqueue.Blocked}, 2, "at most 3 "},
			{"processed", storetest.ItemOpts{State: workqueue.Processed}, 2, "at most 3 "},
			{"cancelled", storetest.ItemOpts{State: workqueue.Cancelled}, 3, "at most 3 "},
			{"its own limit", storetest.ItemOpts{State: workqueue.Cancelled, Policy: `{"limit": 5}`}, 5, "at most 5 (from its own"},
			{"its own before its pipeline's", storetest.ItemOpts{Pipeline: "Twice", Policy: `{"limit": 5}`}, 4, "at most 5 "},
			{"its own that cannot be read", storetest.ItemOpts{Pipeline: "Twice", Policy: `five`}, 1, "at most 2 "},
			{"its own, of an unknown pipeline", storetest.ItemOpts{Pipeline: "Gone", Policy: `{"limit": 5}`}, 4, "at most 5 "},
			{"its pipeline's", storetest.ItemOpts{State: workqueue.Cancelled, Pipeline: "Twice"}, 2, "at most 2 (from its pipeline"},
			{"its pipeline's before its queue's", storetest.ItemOpts{Pipeline: "Twice", Queue: "once"}, 1, "at most 2 "},
			{"its queue's", storetest.ItemOpts{Queue: "once"}, 0, "at most 1 (from the queue once"},
			{"an unknown pipeline", storetest.ItemOpts{Pipeline: "Gone"}, 7, ""},
			{"a pipeline that was changed since", storetest.ItemOpts{Pipeline: "TwiceOfLate"}, 7, ""},
			{"a pipeline that was changed before", storetest.ItemOpts{State: workqueue.Cancelled, Pipeline: "TwiceOfLate"}, 2, "at most 2 "},
			{"a queue's, finished", storetest.ItemOpts{State: workqueue.Cancelled, Queue: "once"}, 7, ""},
		} {
			t.Run(tt.name, func(t *testing.T) {
				x.T = t
				id := x.failedItem(tt.item, tt.allowed)
				x.wantClean()
				x.set(id, `RetryCount = %d`, tt.allowed+1)
				if tt.wanted == "" {
					x.wantClean()
				} else {
					x.wantOne(check, subjectOf(id), "")
					if v := x.check().Violations; len(v) == 1 && !strings.Contains(v[0].Wanted, tt.wanted) {
						t.Errorf("wanted %q, want it to contain %q", v[0].Wanted, tt.wanted)
					}
				}
				x.exec(`DELETE FROM "BotWorkItemAttempts" WHERE "ItemId" = %d`, id)
				x.exec(`DELETE FROM "BotWorkQueueItems" WHERE "Id" = %d`, id)
			})
		}
	})
}

// TestCheckReportsUncheckedItems checks the notes about items whose limit is unknown.
func TestCheckReportsUncheckedItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		x.exec(`INSERT INTO "BotQueues" ("Name", "ResilienceConfig") VALUES ('once', '{"limit": 1}')`)
		x.failedItem(storetest.ItemOpts{Pipeline: "Gone"}, 9)
		x.failedItem(storetest.ItemOpts{Pipeline: "Gone"}, 1)
		x.failedItem(storetest.ItemOpts{Pipeline: "TwiceOfLate"}, 9)
		x.failedItem(storetest.ItemOpts{State: workqueue.Cancelled, Queue: "once"}, 9)
		report := x.check()
		at := slices.IndexFunc(report.Checks, func(c workqueue.CheckResult) bool { return c.Check == workqueue.CheckAttemptLimit })
		notes := strings.Join(report.Checks[at].Notes, "\n")
		for _, want := range []string{`2 items of the pipeline "Gone"`, "1 items above the current limit that last failed", "1 finished items above"} {
			if !strings.Contains(notes, want) {
				t.Errorf("notes lack %q:\n%s", want, notes)
			}
		}
		if !report.Clean {
			t.Errorf("violations: %+v", report.Violations)
		}
	})
}

// A user who sets only State gives an item one attempt more than its limit. That is intended,
// before the attempt and after it.
func TestCheckAllowsAttemptByHand(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		it := x.Item(storetest.ItemOpts{State: workqueue.Cancelled, Policy: `{"limit": 1}`})
		x.set(it.ID, `State = 0`)
		x.wantClean()
		w := x.Worker(storetest.WorkerOpts{})
		x.Assign(w, it.ID)
		x.wantClean()
		claimed, err := x.store.Claim(t.Context(), workqueue.ClaimParams{
			WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: time.Hour,
		})
		if err != nil || len(claimed) != 1 {
			t.Fatalf("Claim = %v, %v", claimed, err)
		}
		x.wantClean()
		end := workqueue.Finish{
			ItemID: it.ID, Fence: claimed[0].Fence, State: workqueue.Cancelled, RetryCount: 2, Error: "again", ErrorKind: workqueue.KindError,
			Attempt: &workqueue.AttemptNote{Number: 2, Outcome: "failed"},
		}
		if lost, err := x.store.Finish(t.Context(), w.ID, w.InstanceID, []workqueue.Finish{end}); err != nil || len(lost) > 0 {
			t.Fatalf("Finish = %v, %v", lost, err)
		}
		x.wantClean()
		// The same by the program, which reschedules an item after its failure.
		x.set(it.ID, `AvailableAt = `+farAway)
		x.wantOne(workqueue.CheckAttemptLimit, subjectOf(it.ID), "Cancelled after 2 failed attempts")
	})
}
