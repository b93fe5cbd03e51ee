// Package simulation tests the queue's promises on a simulated cluster with many
// failures. It contains only tests.
//
// One seed is one history: two to four workers with the real runner and the
// real scheduler, on the real store with SQLite in memory, in the virtual time
// of testing/synctest. The seed decides how the workers' processes die, sleep
// longer than their leases, lose their connection, are drained and started again; which
// statements are refused, arrive late or lose their answer although they were
// committed; how far each machine's clock is from the database's, up to an
// hour; which items exist and what their handlers do (fail, run longer than
// a lease, ignore that they were cancelled); what a user changes by hand; and, in a third of the
// histories, which rows a person holds in an open transaction.
//
// Statements reach the database one at a time. After each statement, its answer
// and all tables are compared with the model of package reference, which has the
// same rules in plain Go. In addition, a judge checks what no table shows: that no two
// runs of an item are active at the same time, that a recorded result belongs to a run
// that ended, that no result of a live process is lost, and that a schedule fires once.
// While a process has no failures, no item may wait beside a slot in which it could
// begin for longer than a tick or, with pipelines that wake, some seconds; and claimed
// items begin, or are released uncounted, within a second. What a person holds is late, and
// nothing else: no other item waits longer, and no other run is stopped. At the end the failures stop,
// and every item must end as its plan says.
//
// In a quarter of the histories, most items run a pipeline with `resume: true` on the real engine, and its file
// has changed in some of the processes. No step runs again that a run has read as recorded with the definition that
// it has now, and none is left out that was not; a record that arrives when its run has lost the item changes
// nothing, also if the run lost it between two statements; an item that has succeeded has no records.
//
// All events depend on the seed: the durations of statements are drawn to the
// nanosecond, so that two statements hardly ever arrive at the same time. If two do,
// Go's scheduler decides: of 1500 seeds that ran twice, two had different histories.
// To run more seeds, or to repeat one with a log of all events:
//
//	go test ./internal/tests/simulation -run TestSeeds -seeds 20000
//	go test ./internal/tests/simulation -run TestSeeds -seed 4711 -v
//
// Batches, shares, escalation and notices have histories of their own.
//
// TestShares: queues compete for the slots of a cluster whose processes die between two statements.
// In some histories the items of one queue run together, or were scheduled for later.
// The judge compares what each pass has planned with what it has read. While the same queues of a
// kind of priorities have items for all slots, none is one item or more away from the part that its
// share gives it, or two if some had credit when that time began. No slot stays free beside an item
// that could run, and none is given twice. Shares give no slot to a less urgent kind, nor past a
// more urgent item of a queue without a share. A queue without items keeps no credit.
//
// TestEscalation: rules with all actions are applied to items that come, run, fail, and are changed
// by people. The judge has the documented rules in plain Go, and its own record of the steps that
// have acted. It compares all items before and after each statement: a rule acts on exactly the
// items whose next step is due, once, and raises no priority above its cap. The audit log has an
// entry and its values for each item, and each report is one event. Each rule is applied in each
// minute in which a process makes a pass, and what a process that died has left is made up for. In
// most histories, the statements that look for items read a copy of the tables that is a moment old.
//
// TestNotices: whole processes with the shipped pipelines and without failures. An item starts within
// 50 ms after a process with a free slot was notified of it, was given it, or saw its time come. The
// same counts for items that are tried again soon, or that another process gives back.
//
// TestMutantsOfStatements and TestMutantsOfCode check that the simulation finds
// faults. They break the statements and the code one by one, as a careless change
// would, and each of these mutants must be caught. TestBatchMutants, TestMutantsOfShares
// and TestMutantsOfEscalation do the same for the other histories.
package simulation
