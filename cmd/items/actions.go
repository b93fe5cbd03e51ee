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
		short: "Cancel items that wait or run", done: "cancelled", noun: "a cancel",
		long: `Makes items that wait, are assigned or run Cancelled. The run of a running item is
stopped within seconds, as soon as its worker learns of it, and does not come back.
A finished item is left as it is.`,
		filter: "--queue mail --status running",
	},
	workqueue.Archive: {
		short: "Set items aside that wait or have succeeded", done: "archived", noun: "an archive",
		long: `Makes items that wait, are assigned or have succeeded Cancelled: they are set aside
and kept for inspection. Nothing runs them until they are repeated or set to run.
A running item is left as it is: cancel it.`,
		filter: "--task nightly --status pending",
	},
	workqueue.Repeat: {
		short: "Run finished items again, from zero", done: "repeated", noun: "a repeat",
		long: `Makes items that are Processed or Cancelled Ready again, due at once, with their
counters at zero, under the same id. A deleted item that is still there comes back
by it. An item in another state is left as it is.`,
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
shows them and ` + "`botwork items repeat`" + ` brings them back. A running item is left as it is:
cancel it first.`,
		filter: "--queue mail --status succeeded",
	},
}
