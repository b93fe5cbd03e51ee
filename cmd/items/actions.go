package items

import "botwork/workqueue"

// changeText is what a person reads of an action.
type changeText struct {
	short, long string
	done        string // "item 17: cancelled"
	noun        string // "a cancel of all items"
	filter      string // flags of an example
}

var changeTexts = map[workqueue.Action]changeText{
	workqueue.RunNow: {
		short: "Make items due at once, or run finished ones once more", done: "set to run", noun: "a run",
		long: `Makes items that wait for their time due at once, and gives finished ones (Processed
or Cancelled) another run. Their counters stay: an item that was cancelled after
its last attempt has one more. ` + "`botwork items repeat`" + ` begins from zero.

A filter without --status, --lifecycle or --state also matches finished items, and needs --yes.`,
		filter: "--queue default --status scheduled,retry",
	},
	workqueue.Cancel: {
		short: "Cancel waiting or running items", done: "cancelled", noun: "a cancel",
		long: `Sets waiting, assigned and running items to Cancelled. The run of a running item is
stopped within seconds, when its worker reads the change, and is not repeated.
A finished item is not changed.`,
		filter: "--queue mail --status running",
	},
	workqueue.Archive: {
		short: "Archive waiting or succeeded items", done: "archived", noun: "an archive",
		long: `Sets items that wait, are assigned or have succeeded to Cancelled: they are kept for
inspection, and run again only after "items repeat" or "items run".
A running item is not changed: cancel it.`,
		filter: "--task nightly --status pending",
	},
	workqueue.Repeat: {
		short: "Run finished items again, from zero", done: "repeated", noun: "a repeat",
		long: `Makes items that are Processed or Cancelled Ready again, due at once, with their
counters at zero, under the same id. A deleted item that is still there comes back
by it. An item in another state is not changed.`,
		filter: "--status failed --tag urgent",
	},
	workqueue.Clone: {
		short: "Make new items like these", done: "cloned", noun: "a clone",
		long: `Makes a new item like each of the items, whatever its state: Pending, due at once,
with its counters at zero. It prints the new ids. An item with a natural key that
must be unique cannot be cloned as long as the key is taken.`,
		filter: "--key 2026-0815",
	},
	workqueue.Delete: {
		short: "Delete items and their attempts", done: "deleted", noun: "a delete",
		long: `Deletes items for good, with the records of their attempts. Where their queue
deletes logically they are hidden instead: ` + "`botwork items list --status deleted`" + `
shows them and ` + "`botwork items repeat`" + ` brings them back. A running item is not changed:
cancel it first.`,
		filter: "--queue mail --status succeeded",
	},
}
