// Package simulation proves the queue's promises on a cluster that is made of
// trouble. It has only tests.
//
// One seed is one history: two to four workers with the real runner and the
// real scheduler, over the real store on SQLite in memory, in the virtual time
// of testing/synctest. The seed decides how the workers' processes die, sleep
// longer than their leases, are cut off, drained and started again; which
// statements are refused, come late or lose their answer although they were
// committed; how far each machine's clock is from the database's, up to an
// hour; what items there are and what their handlers do (fail, run longer than
// a lease, ignore that they were cancelled); and what a person changes by hand.
//
// Statements reach the database one at a time. After each of them its answer,
// and all that the tables hold, is compared with the model of package
// reference, which says the same rules in plain Go. Beside that a judge watches
// what no table shows: that no two runs of an item are at work at once, that a
// result which the database took belongs to a run that came to its end, that no
// result of a living process is dropped, that a schedule fires once. While nothing is
// wrong with a process, no item may wait beside a slot in which it could begin, for
// longer than a tick or, where pipelines wake, some seconds; and what the process has
// claimed begins, or goes back uncounted, within a second. In the end
// the trouble ceases, and every item must come to the end that its plan has.
//
// Everything that happens follows from the seed: statements take times of
// their own to the nanosecond, so that hardly any two of them meet. Where two do,
// Go's scheduler decides: of 1500 seeds that were run twice, two differed from
// themselves. To run more seeds, or to see one again with all that happened:
//
//	go test ./internal/tests/simulation -run TestSeeds -seeds 20000
//	go test ./internal/tests/simulation -run TestSeeds -seed 4711 -v
//
// The proof has teeth: TestMutantsOfStatements and TestMutantsOfCode break the
// statements and the code one by one, as a careless change would, and want each
// of them to be caught.
package simulation
