package items

import "botwork/workqueue"

// changeText holds the words for an action in help texts and messages.
type changeText struct {
	short, long string
	done        string // "item 17: cancelled"
	noun        string // "a cancel of all items"
	filter      string // flags of an example
	aliases     []string
}

var changeTexts = map[workqueue.Action]changeText{
	workqueue.RunNow: {
		short: "Run items now: waiting ones are due at once, finished ones get one more attempt; counters stay", done: "set to run", noun: "a run",
		long: `Makes scheduled items due now, and runs finished items (Processed or Cancelled)
again. Their counters stay: an item that was cancelled after its last attempt gets
one more attempt, which goes on where the last one failed if the pipeline has resume.
` + "`botwork items repeat`" + ` resets the counters.

A filter without --status, --lifecycle or --state also matches finished items, and needs --yes.`,
		filter: "--queue default --status scheduled,retry",
	},
	workqueue.Cancel: {
		short: "Cancel waiting and running items", done: "cancelled", noun: "a cancel",
		long: `Sets waiting, assigned and running items to Cancelled. A running item is stopped
within seconds, when its worker reads the change, and is not retried. Finished items
are not changed.`,
		filter: "--queue mail --status running",
	},
	workqueue.Archive: {
		short: "Archive waiting and succeeded items", done: "archived", noun: "an archive",
		long: `Sets waiting, assigned and succeeded items to Cancelled: they are kept for
inspection, and run again only after "items repeat" or "items run". Running items
are not changed: cancel them.`,
		filter: "--task nightly --status pending",
	},
	workqueue.Repeat: {
		short: "Run finished items again from the start: same id, counters reset (also: retry)", done: "repeated", noun: "a repeat",
		aliases: []string{"retry"},
		long: `Sets finished items (Processed or Cancelled) to Ready, due now, with the same id and
with their counters reset. This also restores a deleted item of a queue that keeps
deleted items. Items in other states are not changed. ` + "`botwork items run`" + ` keeps the
counters and gives one more attempt; ` + "`botwork items clone`" + ` makes a new item.

With --from, an item whose pipeline has resume begins at this step: one that has ended
or failed. Such pipelines record their steps until the item succeeds.`,
		filter: "--status failed --tag urgent",
	},
	workqueue.Clone: {
		short: "Create copies of items", done: "cloned", noun: "a clone",
		long: `Creates a copy of each item, in any state. The copy is Pending and due now, and its
counters are zero. The new ids are printed. An item whose natural key must be unique
cannot be cloned while an item with the key exists, except with --new-key.`,
		filter: "--key 2026-0815",
	},
	workqueue.Delete: {
		short: "Delete items and their attempts", done: "deleted", noun: "a delete",
		long: `Permanently deletes items and the records of their attempts. If their queue has
logical deletion, the items are only hidden: ` + "`botwork items list --status deleted`" + `
shows them and ` + "`botwork items repeat`" + ` restores them. Running items are not changed:
cancel them first.`,
		filter: "--queue mail --status succeeded",
	},
	workqueue.Update: {
		short: "Change priority, times, payload, tags and other values of items", done: "updated", noun: "an update",
		long: `Changes values of items that wait or are assigned. What is not given stays. The
policies of the queue apply as when the item was enqueued: the priority offset,
the payload's schema and size, unique keys. A new payload must match the input of
the item's pipeline, as for ` + "`botwork enqueue`" + `; --no-check skips that.

A running item accepts only tags, metadata, and the priority of its next attempt.
An assigned item whose queue, times, keys, labels or selectors change waits for the
next assignment.

--payload is the new payload and --label a new label; the filters of other commands
of these names are --payload-where and --label-where here.

--if-version N changes the item only if no other change came first: every change
raises the version that ` + "`botwork items show`" + ` prints, except by progress
and renewed leases.`,
	},
}
