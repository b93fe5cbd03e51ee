package main

import "context"

// step is a command, the reason for it, and its exit code.
type step struct {
	why     string // "" if the previous step explains it
	command string
	exit    int
}

// The exit codes of the program.
const (
	done   = 0
	failed = 1
	wrong  = 2
)

// story has the steps of the example in order.
var story = []step{
	{"An encrypted queue needs a keyset.", "keys new --out keyset.json", done},
	{"The queues and tasks of botwork.yaml are written to the database.", "queues define", done},
	{"", "tasks define", done},
	{"", "queues list", done},

	{"An order arrives. Its key is unique in the queue: sent again, it is the same item.",
		`enqueue --queue orders --pipeline order --key order-1 --tag web --meta shop=lisbon --limit-key ann --payload '{"number":"1","lines":[{"article":"tea","amount":2}]}'`, done},
	{"", `enqueue --queue orders --pipeline order --key order-1 --payload '{"number":"1","lines":[{"article":"tea","amount":2}]}'`, done},
	{"An item that does not match the queue's schema is rejected; the error lists each problem.",
		`enqueue --queue orders --pipeline order --key order-2 --payload '{"number":2,"lines":[{"article":"tea","amount":0}]}'`, wrong},
	{"Three more orders: one that will fail, one that is withdrawn, one whose deadline passes before a worker looks.",
		`enqueue --queue orders --pipeline order --key order-3 --payload '{"number":"3","lines":[{"article":"out of stock","amount":1}]}'`, done},
	{"", `enqueue --queue orders --pipeline order --key order-4 --payload '{"number":"withdrawn","lines":[{"article":"tea","amount":1}]}'`, done},
	{"", `enqueue --queue orders --pipeline order --key order-5 --deadline-in 10ms --payload '{"number":"5","lines":[{"article":"tea","amount":1}]}'`, done},
	{"A payment is encrypted in the database; with the keyset it can be read.",
		`enqueue --queue payments --pipeline payment --payload '{"card":"4929-1127","amount":12}'`, done},
	{"", "items list", done},

	{"While its queue is paused, no item is assigned.", "queues pause payments", done},
	{"", "run --once LoadWorkQueue --log-level warn", done},
	{"", "run --once ExecuteWorkQueue --log-level error", done},
	{"The order was shipped, the failed one ran again as a copy, the withdrawn one is deleted, the late one expired, and the task's reports ran.",
		"items list --deleted", done},
	{"", "items show 1", done},
	{"", "queues resume payments", done},
	{"", "run --once ExecuteWorkQueue --log-level error", done},
	{"A payment is removed as soon as it is charged.", "items list --queue payments", done},

	{"After the stock is corrected, failed orders are repeated; this also restores the withdrawn order.",
		"items repeat --queue orders --lifecycle deleted", done},
	{"A finished item cannot be cancelled.", "items cancel 1", failed},
	{"", "items clone 1", failed}, // its key is unique
	{"Delete many items at once, after a dry run that shows how many. The queue deletes logically: the items are hidden.",
		"items delete --queue orders --lifecycle archived --dry-run", done},
	{"", "items delete --queue orders --lifecycle archived --yes --reason 'season over'", done},
	{"", "items list --queue orders --deleted", done},
	{"", "check", done},
}

// playStory runs the story.
func playStory(ctx context.Context, s *session) error {
	for _, st := range story {
		if st.why != "" {
			s.say(st.why)
		}
		if err := s.do(ctx, st.exit, st.command); err != nil {
			return err
		}
	}
	return nil
}
