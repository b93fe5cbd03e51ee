package storetest

import (
	"strings"

	"botwork/workqueue"
)

// A worker loads large texts only up to the limits of the item's queue. Larger texts were
// inserted by hand, or before the limit existed.
func claimLarge(x *fixture) {
	x.defineThese(workqueue.Queue{Name: "large", QueueSizes: workqueue.QueueSizes{MaxPayload: 2 << 20, MaxOutput: 2 << 20}})
	// A claim leaves out what is larger than 1 MB and twice the limit: 3 MB and 5 MB here.
	const allowed, tooLarge = 4 << 20, 6 << 20
	for _, test := range []struct {
		queue, column string
		size          int
		oversized     bool // the item must not run
		loaded        int  // bytes
	}{
		{"default", "Payload", 2<<20 + 1, false, 2<<20 + 1}, // older than the limit
		{"default", "Payload", allowed, true, 0},
		{"default", "Output", allowed, false, 0}, // its next run replaces it
		{"default", "IntegrationConfig", allowed, true, 0},
		{"large", "Payload", allowed, false, allowed},
		{"large", "Output", allowed, false, allowed},
		{"large", "IntegrationConfig", allowed, false, allowed},
		{"large", "Payload", tooLarge, true, 0},
	} {
		for _, by := range []string{"claim", "take"} {
			w := x.Worker(WorkerOpts{})
			state := workqueue.Assigned
			if by == "take" {
				state = workqueue.Ready
			}
			it := x.Item(ItemOpts{Queue: test.queue, State: state, Worker: w})
			small := x.Item(ItemOpts{Queue: test.queue, State: state, Worker: w, Payload: `"small"`})
			x.exec(1, `UPDATE "BotWorkQueueItems" SET "`+test.column+`" = '"`+strings.Repeat("x", test.size-2)+`"' WHERE "Id" = %d`, it.ID)
			var got []workqueue.Item
			if by == "claim" {
				got = x.claim(w, 10)
			} else {
				got = x.takeItems(w, workqueue.Assignment{ItemID: it.ID, WorkerID: w.ID}, workqueue.Assignment{ItemID: small.ID, WorkerID: w.ID})
			}
			if len(got) != 2 || got[0].ID != it.ID || got[1].Payload != `"small"` || got[1].Oversized != "" {
				x.Fatalf("%s of %+v: got %v, want both items", by, test, idsOf(got))
			}
			loaded := map[string]int{"Payload": len(got[0].Payload), "Output": len(got[0].Output), "IntegrationConfig": len(got[0].IntegrationConfig)}[test.column]
			if oversized := got[0].Oversized != ""; oversized != test.oversized || loaded != test.loaded {
				x.Errorf("%s of %+v: got %q and %d bytes", by, test, got[0].Oversized, loaded)
			}
		}
	}
}
