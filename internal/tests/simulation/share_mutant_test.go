package simulation

import (
	"testing"

	"botwork/internal/testgroup"
)

// shareMutants are careless changes to the code that divides slots by shares. TestMutantsOfCode
// compiles them with the others.
var shareMutants = []codeMutant{
	{"shares/the credit is not charged", "workqueue/assign/shares.go", "credit -= total", "credit -= either(MUTANT, 0, total)"},
	{"shares/queues without items keep their credit", "workqueue/assign/shares.go", "!s.met[scope] && s.credit(scope) != 0", "!(MUTANT) && !s.met[scope] && s.credit(scope) != 0"},
	{"shares/are ignored", "workqueue/assign/shares.go", `it.Holder == 0 && t.queue(it) != ""`, `it.Holder == 0 && t.queue(it) != "" && !(MUTANT)`},
	{"shares/all are equal", "workqueue/assign/shares.go", "share: int64(s.of[name])", "share: either(MUTANT, 1, int64(s.of[name]))"},
	{"shares/count over the kinds", "workqueue/assign/shares.go", "kindOf(t.items[end].Priority) == kind {", "(MUTANT || kindOf(t.items[end].Priority) == kind) {"},
	{"shares/debts are forgiven", "workqueue/assign/shares.go", "min(max(credit, -total), total)", "min(max(credit, either(MUTANT, 0, -total)), total)"},
	{"shares/what is left is lost between passes", "workqueue/assign/pass_plan.go", "maps.Copy(turns, pl.shares.changed)",
		"if !(MUTANT) {\n\t\tmaps.Copy(turns, pl.shares.changed)\n\t}"},
	{"shares/an item without a slot is paid for", "workqueue/assign/shares.go", "		if got {\n\t\t\ts.pay(", "		if got || MUTANT {\n\t\t\ts.pay("},
	{"shares/go before queues without one", "workqueue/assign/shares.go", "(place < 0 || other < place)", "(place < 0 || !(MUTANT) && other < place)"},
	{"shares/a queue alone gets no slot", "workqueue/assign/shares.go", "case place >= 0:\n\t\t\ts.next(", "case place >= 0 && !(MUTANT && len(competing) == 1):\n\t\t\ts.next("},
	{"shares/what cannot run opens a place", "workqueue/assign/shares.go", "place >= 0 && !t.could(", "place >= 0 && !(MUTANT) && !t.could("},
	{"shares/no queue is looked for beyond the window", "workqueue/assign/shares.go", "count[kind][queue] >= slots || ", "MUTANT || count[kind][queue] >= slots || "},
	{"shares/slots are planned in advance", "workqueue/assign/pass_plan.go", "pl.p.FreeSlots = pl.p.FreeSlots || pl.classes.compete", "pl.p.FreeSlots = pl.p.FreeSlots || pl.classes.compete && !(MUTANT)"},
}

// shareStatementMutants are careless changes to the statements that passes with shares use.
var shareStatementMutants = []mutant{
	{"mark/forgets the value", "queries/mark", change{"SET Value = @value", "SET Value = Value + 0 * @value", 0}},
	{"due_queue/of all queues", "queries/due_queue", change{"i.QueueName = @queue AND", "@queue <> '' AND", 3}},
	{"due_queue/forgets what was scheduled", "queries/due_queue", change{"i.Scheduled = 1", "i.Scheduled = 2", 0}},
	{"due_queue/forgets items that run together", "queries/due_queue", change{"FROM leaders l", "FROM leaders l WHERE l.Id < 0", 0}},
}

func TestMutantsOfShares(t *testing.T) {
	testgroup.Need(t, testgroup.Mutants)
	for _, m := range shareStatementMutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			edition, err := trial{statements: m.unexpanded(t)}.edition(0)
			if err != nil {
				t.Fatal(err)
			}
			caughtByChronicle(t, known[m.name], func(seed uint64) *chronicle { return shareHistory(t, seed, edition) })
		})
	}
}
