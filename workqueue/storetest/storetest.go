// Package storetest is the conformance suite of Store and a factory
// of rows. All engines run the same suite and must pass all of it.
// A new rule of the contract is a new test here; the test files of an engine
// contain only tests of that engine.
package storetest

import (
	"slices"
	"testing"
	"time"
)

// Harness is one empty database, with the functions that a test needs in addition to
// the contract.
type Harness struct {
	// Store is the store under test.
	Store Store

	// Another opens one more store on the same database, like another process
	// on another machine.
	Another func(t *testing.T) Store

	// At is like Another, but the store uses now as the database's clock.
	At func(t *testing.T, now func() time.Time) Store

	// Bounded is like Another, but one call looks at no more than most items when its filter
	// selects by payload.
	Bounded func(t *testing.T, most int) Store

	// Exec runs one statement like a user by hand, and returns the number of
	// rows it changed. Names are quoted ("BotWorkQueueItems"), which every
	// engine accepts; '1' is true, and times have the form '2026-01-31 13:45:00.000'.
	Exec func(t *testing.T, sql string) int64

	// Hold runs one statement like Exec, in a transaction that stays open until release is
	// called, like a person's who has not committed. It is nil if an open transaction holds
	// the whole database.
	Hold func(t *testing.T, sql string) (release func())
}

// test is one rule of the contract.
type test struct {
	name string
	run  func(*fixture)
}

// Exercise checks that a store follows the contract of Store and the
// invariants of items. Each call of open must return a migrated, empty database
// that no other test uses.
func Exercise(t *testing.T, open func(t *testing.T) Harness) { exercise(t, open, nil) }

// ExerciseGroups is Exercise with some of its groups, for a store that is reached in another way.
func ExerciseGroups(t *testing.T, open func(t *testing.T) Harness, names ...string) {
	ran := exercise(t, open, names)
	if len(ran) != len(names) {
		t.Errorf("ran the groups %v, want %v", ran, names)
	}
}

// exercise runs the groups with these names, all without any, and returns their names.
func exercise(t *testing.T, open func(t *testing.T) Harness, names []string) (ran []string) {
	for _, group := range []struct {
		name  string
		tests []test
	}{
		{"Enqueue", enqueueTests()},
		{"EnqueueFinish", enqueueFinishTests()},
		{"Unique", uniqueTests()},
		{"Conflict", conflictTests()},
		{"FindParts", findPartsTests()},
		{"FindLabels", findLabelsTests()},
		{"Items", listTests()},
		{"Queues", queueTests()},
		{"Notifications", notificationTests()},
		{"Define", defineTests()},
		{"Override", overrideTests()},
		{"ByHand", byHandTests()},
		{"Change", changeTests()},
		{"Update", updateTests()},
		{"Search", searchTests()},
		{"Payload", payloadTests()},
		{"Due", dueTests()},
		{"ReadPass", readPassTests()},
		{"Assign", assignTests()},
		{"Limits", limitTests()},
		{"Rates", rateTests()},
		{"Claim", claimTests()},
		{"Take", takeTests()},
		{"Eligible", eligibleTests()},
		{"Begin", beginTests()},
		{"Join", joinTests()},
		{"Beat", beatTests()},
		{"Progress", progressTests()},
		{"Steps", stepTests()},
		{"Finish", finishTests()},
		{"Took", tookTests()},
		{"Ends", endsTests()},
		{"Rescue", rescueTests()},
		{"Poison", poisonTests()},
		{"Expire", expireTests()},
		{"Register", registerTests()},
		{"Leave", leaveTests()},
		{"Control", controlTests()},
		{"Stranded", strandedTests()},
		{"Marks", markTests()},
		{"Waits", waitsTests()},
		{"Ready", readyTests()},
		{"Listen", listenTests()},
		{"Firing", firingTests()},
		{"Run", runTests()},
		{"Pause", pauseTests()},
		{"Request", requestTests()},
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
		{"Series", seriesTests()},
		{"Failures", failureTests()},
		{"Forecasts", forecastTests()},
		{"Durations", durationTests()},
		{"Texts", textTests()},
		{"Batches", batchTests()},
		{"Audit", auditTests()},
		{"Escalation", escalationTests()},
		{"Housekeeping", housekeepingTests()},
		{"Access", accessTests()},
		{"Why", whyTests()},
		{"DryRun", dryRunTests()},
		{"Contend", contendTests()},
		{"Locked", lockedTests()},
	} {
		if len(names) > 0 && !slices.Contains(names, group.name) {
			continue
		}
		ran = append(ran, group.name)
		t.Run(group.name, func(t *testing.T) {
			t.Parallel() // each test has its own store
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) {
					test.run(newFixture(t, open(t)))
				})
			}
		})
	}
	return ran
}
