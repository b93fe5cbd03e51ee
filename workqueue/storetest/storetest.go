// Package storetest is the conformance suite of Store and the factory
// of its rows. Every engine runs the same suite: what one engine promises, all
// of them keep. A new rule of the contract is a new test here; an engine's own
// test file holds only what is its own.
package storetest

import (
	"testing"
	"time"
)

// Harness is one empty database, with what a test needs of it beside the
// contract.
type Harness struct {
	// Store is the store under test.
	Store Store

	// Another opens one more store on the same database, as another process
	// on another machine has it.
	Another func(t *testing.T) Store

	// At is Another, but that the store takes now for the database's clock.
	At func(t *testing.T, now func() time.Time) Store

	// Exec runs one statement as a person does by hand, and returns how many
	// rows it changed. Names are quoted ("BotWorkQueueItems"), which every
	// engine understands; '1' is true, and times read '2026-01-31 13:45:00.000'.
	Exec func(t *testing.T, sql string) int64
}

// test is one promise of the contract.
type test struct {
	name string
	run  func(*fixture)
}

// Exercise holds a store to the contract of Store and to the
// invariants of an item's life. Each open call must return a database that is
// migrated, empty, and seen by no other test.
func Exercise(t *testing.T, open func(t *testing.T) Harness) {
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"Enqueue", enqueueTests()},
		{"Unique", uniqueTests()},
		{"Items", listTests()},
		{"Queues", queueTests()},
		{"Define", defineTests()},
		{"Change", changeTests()},
		{"Due", dueTests()},
		{"ReadPass", readPassTests()},
		{"Assign", assignTests()},
		{"Limits", limitTests()},
		{"Rates", rateTests()},
		{"Claim", claimTests()},
		{"Take", takeTests()},
		{"Eligible", eligibleTests()},
		{"Begin", beginTests()},
		{"Beat", beatTests()},
		{"Progress", progressTests()},
		{"Finish", finishTests()},
		{"Took", tookTests()},
		{"Ends", endsTests()},
		{"Rescue", rescueTests()},
		{"Poison", poisonTests()},
		{"Expire", expireTests()},
		{"Register", registerTests()},
		{"Leave", leaveTests()},
		{"Stranded", strandedTests()},
		{"Waits", waitsTests()},
		{"Ready", readyTests()},
		{"Listen", listenTests()},
		{"Firing", firingTests()},
		{"Run", runTests()},
		{"Hand", handTests()},
		{"Task", taskTests()},
		{"History", historyTests()},
		{"Checkout", checkoutTests()},
		{"CheckoutLimits", checkoutLimitTests()},
		{"Hold", holdTests()},
		{"RobotEnd", robotEndTests()},
		{"RobotWrite", robotWriteTests()},
		{"Idempotency", idempotencyTests()},
		{"Life", lifeTests()},
		{"Transition", transitionTests()},
		{"Statistics", statisticsTests()},
		{"Durations", durationTests()},
		{"Texts", textTests()},
		{"Batches", batchTests()},
		{"Housekeeping", housekeepingTests()},
		{"Why", whyTests()},
		{"DryRun", dryRunTests()},
		{"Contend", contendTests()},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel() // each test has a store of its own
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) {
					test.run(newFixture(t, open(t)))
				})
			}
		})
	}
}
