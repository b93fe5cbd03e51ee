package main

import "context"

// step is a command, why it is typed, and how it ends.
type step struct {
	why     string // "" when the one before says it
	command string
	exit    int
}

// The exit codes of the program.
const (
	done   = 0
	failed = 1
	wrong  = 2
)

// story is what the example shows, in order.
var story = []step{
	{"An encrypted queue needs a keyset.", "keys new --out keyset.json", done},
	{"The queues and tasks of botwork.yaml go into the database.", "queues define", done},
	{"", "tasks define", done},
	{"", "queues list", done},

	{"An order comes in. Its key is unique in the queue: sent again, it is the same item.",
		`enqueue --queue orders --pipeline order --key order-1 --tag web --meta shop=lisbon --limit-key ann --payload '{"number":"1","lines":[{"article":"tea","amount":2}]}'`, done},
	{"", `enqueue --queue orders --pipeline order --key order-1 --payload '{"number":"1","lines":[{"article":"tea","amount":2}]}'`, done},
	{"What does not meet the queue's schema is refused, with every place that is wrong.",
		`enqueue --queue orders --pipeline order --key order-2 --payload '{"number":2,"lines":[{"article":"tea","amount":0}]}'`, wrong},
	{"Three more orders: one that will fail, one that is withdrawn, one that is too late already.",
		`enqueue --queue orders --pipeline order --key order-3 --payload '{"number":"3","lines":[{"article":"out of stock","amount":1}]}'`, done},
	{"", `enqueue --queue orders --pipeline order --key order-4 --payload '{"number":"withdrawn","lines":[{"article":"tea","amount":1}]}'`, done},
	{"", `enqueue --queue orders --pipeline order --key order-5 --deadline 2001-01-01T00:00:00Z --payload '{"number":"5","lines":[{"article":"tea","amount":1}]}'`, done},
	{"A payment is sealed in the database; with the keyset it can be read.",
		`enqueue --queue payments --pipeline payment --payload '{"card":"4929-1127","amount":12}'`, done},
	{"", "items list", done},

	{"While its queue is paused, nothing is given out.", "queues pause payments", done},
	{"", "run --once LoadWorkQueue --log-level warn", done},
	{"", "run --once ExecuteWorkQueue --log-level error", done},
	{"The order was shipped, the failed one was tried again as a copy, the withdrawn one is deleted, the late one expired, and the task's reports ran.",
		"items list --deleted", done},
	{"", "items show 1", done},
	{"", "queues resume payments", done},
	{"", "run --once ExecuteWorkQueue --log-level error", done},
	{"A payment is gone as soon as it is charged.", "items list --queue payments", done},

	{"Whoever has mended the stock repeats what had failed; the order that was withdrawn comes back as well.",
		"items repeat --queue orders --lifecycle deleted", done},
	{"A finished item cannot be cancelled.", "items cancel 1", failed},
	{"", "items clone 1", failed}, // its key is unique
	{"Many at once, after a look at how many that are. The queue deletes logically: they are out of sight.",
		"items delete --queue orders --lifecycle archived --dry-run", done},
	{"", "items delete --queue orders --lifecycle archived --reason 'season over'", done},
	{"", "items list --queue orders --deleted", done},
	{"", "check", done},
}

// tell goes through the story.
func tell(ctx context.Context, s *session) error {
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
