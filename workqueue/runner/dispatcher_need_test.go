package runner_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
	"botwork/workqueue/sqlstore"
)

// channelOptions returns options of a worker whose items are calls, chats and letters. The
// pipelines have the names of their channels; the pipeline plain has no channel.
func channelOptions(store runner.Store, capacity int, channels workqueue.Channels, run workqueue.RunItem) runner.Options {
	o := options(store, "ann", run)
	o.Spec.Capacity, o.Spec.Channels = capacity, channels
	o.Profiles = func(pipeline string) workqueue.Profile {
		if pipeline == "plain" {
			return workqueue.Profile{}
		}
		return workqueue.Profile{Channel: pipeline}
	}
	return o
}

var (
	oneOrFive = workqueue.Channels{"voice": {Cost: 100}, "chat": {Cost: 20}}
	bestOfAll = workqueue.Channels{"voice": {Cost: 60}, "chat": {Cost: 10, Max: 2}, "email": {Cost: 10, Max: 2}}
	smallest  = workqueue.Channels{"voice": {Cost: 2}, "chat": {Cost: 1}}
)

// load measures what runs at the same time, in slots and by pipeline.
type load struct {
	mu           sync.Mutex
	channels     workqueue.Channels
	slots, most  int
	now, mostNow map[string]int
	mixed        bool // a voice item ran at the same time as another item
}

func (l *load) run(pipeline string, took time.Duration) {
	l.change(pipeline, 1)
	time.Sleep(took)
	l.change(pipeline, -1)
}

func (l *load) change(pipeline string, by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots += by * l.channels[pipeline].Cost
	l.now[pipeline] += by
	l.most, l.mostNow[pipeline] = max(l.most, l.slots), max(l.mostNow[pipeline], l.now[pipeline])
	l.mixed = l.mixed || l.now["voice"] > 0 && l.now["chat"] > 0
}

// The same examples with items that run: the slots are never exceeded, whatever the order, and
// each item runs once.
func TestChannelsShareTheSlots(t *testing.T) {
	for name, test := range map[string]struct {
		capacity           int
		channels           workqueue.Channels
		voice, chat, email int // runs at a time
		mixed              bool
	}{
		"one voice or five chats":          {100, oneOrFive, 1, 5, 0, false},
		"one voice, two chats, two emails": {100, bestOfAll, 1, 2, 2, true},
		"one voice or two chats":           {2, smallest, 1, 2, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				var ran runs
				load := &load{channels: test.channels, now: map[string]int{}, mostNow: map[string]int{}}
				r := start(t, channelOptions(store, test.capacity, test.channels, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
					ran.add(it.ID)
					load.run(it.IntegrationConfig, time.Duration(10+it.ID%7)*time.Second)
					return workqueue.Outcome{}
				}))
				var ids []int64
				for n := range 6 {
					for _, pipeline := range []string{"chat", "chat", "chat", "chat", "chat", "voice", "email", "email"} {
						if test.channels[pipeline].Cost > 0 {
							ids = append(ids, enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: pipeline, Priority: 500 + n%3})...)
						}
					}
				}
				assignTo(t, r, assign.AssignParams{})
				if got := execute(t, r, runner.ExecuteParams{Refill: true}); got != (runner.ExecuteResult{Succeeded: len(ids)}) {
					t.Errorf("Execute = %+v, want %d successes", got, len(ids))
				}
				ran.wantOnce(t, ids)
				if load.mostNow["voice"] != test.voice || load.mostNow["chat"] != test.chat || load.mostNow["email"] != test.email {
					t.Errorf("at most %v ran at a time, want %d, %d and %d", load.mostNow, test.voice, test.chat, test.email)
				}
				if load.mixed != test.mixed || load.most != test.capacity {
					t.Errorf("%d of %d slots were in use, voice mixed with others: %t, want %t", load.most, test.capacity, load.mixed, test.mixed)
				}
			})
		})
	}
}

// Chats that wait for their channel do not block a voice item behind them, and claimed items
// that wait keep their leases.
func TestItemsWaitingForTheirChannelBlockNoOthers(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		r := start(t, channelOptions(store, 100, bestOfAll, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			time.Sleep(20 * lease)
			return workqueue.Outcome{}
		}))
		chats := enqueue(t, store, 6, workqueue.NewItem{IntegrationConfig: "chat", Priority: 900})
		voice := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "voice", Priority: 500})
		plain := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "plain", Priority: 499})
		assignTo(t, r, assign.AssignParams{})
		other := start(t, options(store, "bob", succeed))
		done := background(t, r, runner.ExecuteParams{})
		time.Sleep(10 * lease)
		if run := ran.started(); len(run) < 3 || !slices.Contains(run, voice[0]) {
			t.Errorf("%v run, want two chats and the voice", run)
		}
		if got := assignTo(t, other, assign.AssignParams{}); got.Rescued+got.Released+got.Assigned > 0 {
			t.Errorf("pass: %+v, want it to leave a live worker's items alone", got)
		}
		if got := <-done; got.err != nil || got.Succeeded != 8 {
			t.Errorf("Execute = %+v, want 8 successes", got)
		}
		ran.wantOnce(t, append(append(chats, voice...), plain...))
		for _, id := range chats {
			if it := item(t, store, id); it.Fence != 1 {
				t.Errorf("item %d was claimed %d times", id, it.Fence)
			}
		}
	})
}

// A large item waits for room, and starts before less urgent items. A high item that is enqueued
// in the meantime uses the first slot that becomes free.
func TestHighItemOvertakesWaitingLargeItem(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		var ran runs
		r := start(t, channelOptions(store, 2, smallest, func(_ context.Context, it *workqueue.Run) workqueue.Outcome {
			ran.add(it.ID)
			time.Sleep(time.Duration(2*it.ID) * time.Minute)
			return workqueue.Outcome{}
		}))
		first := enqueue(t, store, 2, workqueue.NewItem{IntegrationConfig: "chat", Priority: 700})
		big := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "voice", Priority: 600})[0]
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{Refill: true})
		time.Sleep(3 * time.Minute) // the first chat has ended, the second continues
		if it, run := item(t, store, big), ran.started(); it.State == workqueue.Blocked || len(run) != 2 {
			t.Fatalf("the voice is %v and %v ran, want it unclaimed while it waits for both slots", it.State, run)
		}
		high := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "chat", Priority: 1500})[0]
		time.Sleep(tick)
		if it, run := item(t, store, high), ran.started(); it.State != workqueue.Blocked || len(run) != 3 || run[2] != high {
			t.Errorf("the high item is %v and %v ran, want it to run at the same time as the second chat", it.State, run)
		}
		if got := <-done; got.err != nil || got.Succeeded != 4 {
			t.Errorf("Execute = %+v, want 4 successes", got)
		}
		ran.wantOnce(t, append(first, big, high))
	})
}

// An item that was assigned by hand to a worker that does not serve it is released with the
// reason.
func TestItemsThatTheWorkerDoesNotServe(t *testing.T) {
	for name, test := range map[string]struct {
		item workqueue.NewItem
		want string
	}{
		"its channel": {workqueue.NewItem{IntegrationConfig: "fax"}, `worker "ann" does not take items of channel "fax"`},
		"its queue":   {workqueue.NewItem{IntegrationConfig: "chat", QueueName: "erp"}, `worker "ann" does not serve the queue "erp", only default`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, store *sqlstore.Store) {
				if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "erp"}}, "test"); err != nil {
					t.Fatal(err)
				}
				o := channelOptions(store, 10, smallest, succeed)
				o.Spec.Queues = []string{"default"}
				r := start(t, o)
				id := enqueue(t, store, 1, test.item)[0]
				fits := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "chat"})[0]
				if err := store.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
					_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: id, WorkerID: r.Worker().ID}, {ItemID: fits, WorkerID: r.Worker().ID}})
					return err
				}); err != nil {
					t.Fatal(err)
				}
				if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Succeeded: 1, Released: 1}) {
					t.Errorf("Execute = %+v, want one success and one released item", got)
				}
				wantItem(t, store, fits, workqueue.Processed, 0)
				it := wantItem(t, store, id, workqueue.Ready, 0)
				if it.Error == nil || *it.Error != test.want || !it.AvailableAt.After(time.Now()) {
					t.Errorf("error %v, due at %v, want %s, and not at once", it.Error, it.AvailableAt, test.want)
				}
				attempts, err := store.Attempts(t.Context(), id)
				if err != nil || len(attempts) != 1 || attempts[0].Outcome != "released" || *attempts[0].Error != test.want {
					t.Errorf("attempts %+v, %v, want one release with the reason", attempts, err)
				}
			})
		})
	}
}

// Items that wait for their slots are released when the worker drains.
func TestDrainReleasesItemsWaitingForSlots(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		r := start(t, channelOptions(store, 100, bestOfAll, func(context.Context, *workqueue.Run) workqueue.Outcome {
			time.Sleep(time.Minute)
			return workqueue.Outcome{}
		}))
		enqueue(t, store, 4, workqueue.NewItem{IntegrationConfig: "chat"})
		enqueue(t, store, 2, workqueue.NewItem{IntegrationConfig: "voice"})
		assignTo(t, r, assign.AssignParams{})
		done := background(t, r, runner.ExecuteParams{Refill: true})
		time.Sleep(30 * time.Second)
		if got := states(t, store)[workqueue.Blocked]; got != 3 {
			t.Fatalf("%d items are claimed, want the two chats and the voice, which run", got)
		}
		r.Drain(t.Context())
		if got := <-done; got.err != nil || got.ExecuteResult != (runner.ExecuteResult{Succeeded: 3}) {
			t.Errorf("Execute = %+v, want two chats and a voice", got)
		}
		if got := states(t, store); got[workqueue.Ready] != 3 || got[workqueue.Processed] != 3 {
			t.Errorf("%v, want 3 processed and 3 ready", got)
		}
	})
}

// If the handler of a voice item does not stop, all slots of the item are stuck, and the worker's
// row shows that. The next voice item does not wait for them.
func TestStuckItemOccupiesItsSlots(t *testing.T) {
	bubble(t, func(t *testing.T, store *sqlstore.Store) {
		causes := make(chan error, 1)
		r := start(t, channelOptions(store, 100, bestOfAll, func(ctx context.Context, run *workqueue.Run) workqueue.Outcome {
			if run.Priority == 2 {
				return ignoreCancel(5*time.Minute, causes)(ctx, run)
			}
			time.Sleep(time.Minute)
			return workqueue.Outcome{}
		}))
		stuck := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "voice", Priority: 2, ResilienceConfig: `{"timeout": "5s", "limit": 1}`})[0]
		next := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "voice", Priority: 1})[0]
		chat := enqueue(t, store, 1, workqueue.NewItem{IntegrationConfig: "chat"})[0]
		assignTo(t, r, assign.AssignParams{})
		if got := execute(t, r, runner.ExecuteParams{Refill: true}); got.Succeeded != 1 || got.Failed != 1 {
			t.Errorf("Execute = %+v, want a successful chat and a failed voice", got)
		}
		wantItem(t, store, next, workqueue.Ready, 0) // for another worker
		time.Sleep(time.Minute)
		if err := store.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
			_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: next, WorkerID: r.Worker().ID}})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if got := execute(t, r, runner.ExecuteParams{}); got != (runner.ExecuteResult{Released: 1}) {
			t.Errorf("Execute = %+v, want the voice to be released", got)
		}
		wantItem(t, store, stuck, workqueue.Cancelled, 1)
		wantItem(t, store, chat, workqueue.Processed, 0)
		if it := wantItem(t, store, next, workqueue.Ready, 0); it.Error == nil || !strings.Contains(*it.Error, `an item of channel "voice" needs 60 slots on this worker, and too many are stuck`) {
			t.Errorf("error %v, want the reason with the stuck slots", it.Error)
		}
		if n := stuckSlots(t, store, "ann"); n != 60 {
			t.Errorf("%d slots are stuck, want 60", n)
		}
		<-causes
	})
}
