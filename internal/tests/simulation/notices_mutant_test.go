package simulation

// noticeMutants are careless changes that let an item wait for a poll.
var noticeMutants = []codeMutant{
	{"notices/of other processes are ignored", "internal/process/wake.go", "if w.wanted(n.Band) {", "if w.wanted(n.Band) && !(MUTANT) {"},
	{"notices/of assigned items are ignored", "internal/process/wake.go", "if id == w.p.runner.Worker().ID {", "if id == w.p.runner.Worker().ID && !(MUTANT) {"},
	{"notices/what is due soon waits for the poll", "internal/process/wake.go", "UnixNano() < w.wakesAt.Load() {", "UnixNano() < w.wakesAt.Load() && !(MUTANT) {"},
	{"notices/the poll for what is due next is late", "internal/process/wake.go", "wait = min(wait, next+dueMargin)", "wait = min(wait, next+dueMargin+either(MUTANT, time.Second, 0))"},
	{"notices/a run that has ended counts as woken", "workqueue/runner/session.go", "	if s.closed {\n\t\treturn false\n\t}\n\ts.wake(", "	if s.closed {\n\t\treturn MUTANT\n\t}\n\ts.wake("},
	{"notices/a run that waits makes no pass", "workqueue/runner/session_passes.go", "	l.raise()\n\tl.woken = true\n", "	if !(MUTANT) {\n\t\tl.raise()\n\t}\n\tl.woken = true\n"},
	{"notices/of own items that are due soon are not sent", "workqueue/sqlstore/newitem.go", "r.soon = !r.due", "r.soon = !(MUTANT) && !r.due"},
	{"notices/of a retry are not sent", "workqueue/sqlstore/notices.go", "again || !f.Returned(), true", "again || !f.Returned() && !(MUTANT), true"},
}
