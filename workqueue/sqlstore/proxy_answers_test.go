package sqlstore_test

import (
	"context"
	"testing"
	"time"

	"botwork/internal/faultproxy"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/storetest"
)

// recordHistory makes the database record each change of an item's state or fence.
func (x *behindProxy) recordHistory() {
	x.Helper()
	for _, statement := range []string{
		`CREATE TABLE item_history (id BIGINT, fence BIGINT, was INT, is_now INT, worker BIGINT)`,
		`CREATE FUNCTION note_item() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO item_history VALUES (NEW."Id", NEW."Fence", OLD."State", NEW."State", NEW."WorkerId");
			RETURN NULL;
		END $$`,
		`CREATE TRIGGER note_item AFTER UPDATE ON "BotWorkQueueItems" FOR EACH ROW
			WHEN (OLD."State" <> NEW."State" OR OLD."Fence" <> NEW."Fence") EXECUTE FUNCTION note_item()`,
	} {
		if _, err := x.hand.ExecContext(x.Context(), statement); err != nil {
			x.Fatal(err)
		}
	}
}

// became counts how often an item changed to a state.
func (x *behindProxy) became(id int64, state workqueue.State) int {
	x.Helper()
	return x.count(`SELECT COUNT(*) FROM item_history WHERE id = $1 AND is_now = $2`, id, state)
}

// pass rescues stale items and assigns waiting items.
func (x *behindProxy) pass() assign.AssignResult {
	x.Helper()
	result, err := assign.AssignPass(x.Context(), x.way, assign.AssignParams{})
	if err != nil {
		x.Fatal(err)
	}
	return result
}

func (x *behindProxy) item(id int64) workqueue.Item {
	x.Helper()
	it, err := x.way.Item(x.Context(), id)
	if err != nil {
		x.Fatal(err)
	}
	return it
}

// loseAnswer makes a call whose request arrives and whose answer is lost. First, prepare runs
// the same statement without effect, so that it is prepared on the connection: otherwise the
// answer to the preparation would be cut.
func (x *behindProxy) loseAnswer(prepare, call func() error) {
	x.Helper()
	x.fresh()
	if err := prepare(); err != nil {
		x.Fatal(err)
	}
	x.proxy.Set(faultproxy.TruncateResponse(0))
	if err := call(); err == nil {
		x.Fatal("the call whose answer is cut returned no error")
	}
	x.fresh()
	x.awaitQuiet()
}

// No worker runs the items of a claim whose answer was lost. They are released when their lease
// ends, and no failure is counted: they had not started.
func TestClaimsWithLostAnswerAreReleased(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		const lease = 300 * time.Millisecond
		w, ids := x.assigned()
		claim := func(w workqueue.Worker) func() error {
			return func() error {
				_, err := x.store.Claim(x.Context(), claimAll(w, lease))
				return err
			}
		}
		x.loseAnswer(claim(workqueue.Worker{}), claim(w))
		if got := x.item(ids[0]).State; got != workqueue.Blocked {
			x.Fatalf("the claim left the item %s, want Blocked: only its answer should be lost", got)
		}
		again, err := x.store.Claim(x.Context(), claimAll(w, time.Hour))
		if err != nil || len(again) != 0 {
			x.Errorf("claimed again: %d items, %v; want none, they are claimed", len(again), err)
		}
		rescued := 0
		x.await("the leases to end", func() bool { rescued += x.pass().Rescued; return rescued == len(ids) })
		again, err = x.store.Claim(x.Context(), claimAll(w, time.Hour))
		if err != nil || len(again) != len(ids) {
			x.Fatalf("claimed after the rescue: %d items, %v; want all %d", len(again), err, len(ids))
		}
		for _, it := range again {
			if it.Fence != 2 || it.RetryCount != 0 || it.ReleaseCount != 0 || !it.RecordBegin {
				x.Errorf("item %d: Fence %d, RetryCount %d, ReleaseCount %d; want 2, 0, 0, and that its begin is recorded", it.ID, it.Fence, it.RetryCount, it.ReleaseCount)
			}
			attempts, err := x.way.Attempts(x.Context(), it.ID)
			if err != nil || len(attempts) != 1 || attempts[0].Outcome != "released" || attempts[0].Fence != 1 {
				x.Errorf("item %d: attempts %+v, %v; want a released one of fence 1", it.ID, attempts, err)
			}
		}
	})
}

// A result whose answer was lost remains. Writing it again reports that the item is lost.
func TestResultWithLostAnswerRemains(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		x.recordHistory()
		w, items := x.running()
		other, others := x.running()
		ends := func(items []workqueue.Item, output workqueue.JSONText) (all []workqueue.Finish) {
			for _, it := range items {
				all = append(all, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, State: workqueue.Processed, Output: output})
			}
			return all
		}
		// The answer to the commit must be lost, which comes last. Another batch shows at which
		// byte that is.
		x.fresh()
		before := x.proxy.ResponseBytes()
		if _, err := x.store.Finish(x.Context(), other.ID, other.InstanceID, ends(others, `"other"`)); err != nil {
			x.Fatal(err)
		}
		answer := int(x.proxy.ResponseBytes() - before)
		x.fresh()
		x.proxy.Set(faultproxy.TruncateResponse(answer - ready - 1))
		if _, err := x.store.Finish(x.Context(), w.ID, w.InstanceID, ends(items, `"first"`)); err == nil {
			x.Fatal("the call whose answer is cut returned no error")
		}
		x.fresh()
		x.awaitQuiet()
		lost, err := x.store.Finish(x.Context(), w.ID, w.InstanceID, ends(items, `"second"`))
		if err != nil || len(lost) != len(items) {
			x.Errorf("written again: lost %v, %v; want all", lost, err)
		}
		for _, it := range items {
			got := x.item(it.ID)
			if got.State != workqueue.Processed || got.Output != `"first"` || got.Fence != it.Fence || x.became(it.ID, workqueue.Processed) != 1 {
				x.Errorf("item %d is %s with output %s and fence %d, became Processed %d times; want Processed once, with the first output",
					it.ID, got.State, got.Output, got.Fence, x.became(it.ID, workqueue.Processed))
			}
		}
	})
}

// A connection stalls for longer than a lease while it sends a result, and then delivers it.
// Meanwhile another worker has run the item.
func TestResultAfterLeaseChangesNothing(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]workqueue.State{
		"while another worker runs the item":          workqueue.Blocked,
		"when another worker has finished it":         workqueue.Processed,
		"while it waits for a worker again":           workqueue.Ready,
		"when it is assigned to its own worker again": workqueue.Assigned,
	} {
		t.Run(name, func(t *testing.T) {
			eachProxied(t, func(x *behindProxy) {
				x.recordHistory()
				w := x.make.Worker(storetest.WorkerOpts{})
				id := x.make.Items(1, storetest.ItemOpts{State: workqueue.Assigned, Worker: w})[0]
				claimed, err := x.way.Claim(x.Context(), claimAll(w, 100*time.Millisecond))
				if err != nil || len(claimed) != 1 {
					x.Fatalf("claimed %d items, %v; want 1", len(claimed), err)
				}
				x.fresh()
				x.proxy.Set(faultproxy.Stall())
				ctx, cancel := context.WithTimeout(x.Context(), deadline)
				defer cancel()
				_, err = x.store.Finish(ctx, w.ID, w.InstanceID, []workqueue.Finish{{ItemID: id, Fence: 1, State: workqueue.Processed, Output: `"late"`}})
				if err == nil {
					x.Fatal("the stalled Finish returned no error")
				}
				x.rescueFor(w, id, second)
				before := x.item(id)
				x.proxy.Set(faultproxy.Fault{})
				x.await("the stalled bytes to arrive", func() bool { return x.proxy.Links() == 0 })
				x.awaitQuiet()
				if got := x.item(id); got.State != before.State || got.Fence != before.Fence || got.Output != before.Output {
					x.Errorf("the late result made the item %s, fence %d, output %q; want it unchanged: %s, fence %d, output %q",
						got.State, got.Fence, got.Output, before.State, before.Fence, before.Output)
				}
				want := 0
				if second == workqueue.Processed {
					want = 1
				}
				if n := x.became(id, workqueue.Processed); n != want {
					x.Errorf("the item became Processed %d times, want %d", n, want)
				}
			})
		})
	}
}

// rescueFor takes the item from the worker when its lease ends, and changes it to a state:
// assigned to the same worker for Assigned, else held by another one.
func (x *behindProxy) rescueFor(w workqueue.Worker, id int64, state workqueue.State) {
	x.Helper()
	by := w
	if state != workqueue.Assigned {
		if err := x.way.StopWorker(x.Context(), w.ID, w.InstanceID); err != nil {
			x.Fatal(err)
		}
		if state != workqueue.Ready {
			by = x.make.Worker(storetest.WorkerOpts{})
		}
	}
	rescued := 0
	x.await("the lease to end", func() bool { rescued += x.pass().Rescued; return rescued == 1 })
	if state == workqueue.Ready || state == workqueue.Assigned {
		if got := x.item(id).State; got != state {
			x.Fatalf("the item is %s after the rescue, want %s", got, state)
		}
		return
	}
	claimed, err := x.way.Claim(x.Context(), claimAll(by, time.Hour))
	if err != nil || len(claimed) != 1 || claimed[0].Fence != 2 {
		x.Fatalf("claimed %+v, %v; want the item with fence 2", claimed, err)
	}
	if state == workqueue.Processed {
		end := workqueue.Finish{ItemID: id, Fence: 2, State: workqueue.Processed, Output: `"second"`}
		if lost, err := x.way.Finish(x.Context(), by.ID, by.InstanceID, []workqueue.Finish{end}); err != nil || len(lost) > 0 {
			x.Fatalf("the second run's result: lost %v, %v", lost, err)
		}
	}
}
