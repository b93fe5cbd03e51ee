package main

import (
	"fmt"
	"time"
)

const store = "./workqueue/sqlstore"

// snapshotVariable is testdb.RowVersionsVariable.
const snapshotVariable = "BOTWORK_TEST_SQLSERVER_SNAPSHOT"

// step is one command of the trial.
type step struct {
	title   string
	about   string   // what the step shows
	command []string // with its arguments
	environ []string // further variables
	logs    bool     // whether the report includes the logs of its tests
}

// steps returns the steps of a trial in order; the slowest step is the last one.
func steps(hunt time.Duration) []step {
	// of is the name of a test, then that of its subtest. The tests run one after the
	// other, so that tests that hold locks do not affect each other.
	tests := func(of string, packages ...string) []string {
		return append([]string{"go", "test", "-json", "-count=1", "-timeout=0", "-p=1", "-run", of}, packages...)
	}
	versions := func(on string) []string { return []string{snapshotVariable + "=" + on} }
	conformance := tests("^TestConformance$/^sqlserver$", store)
	deadlocks := append(tests("^TestDeadlocksAreRetried$/^sqlserver$", store), "-args", fmt.Sprint("-sqlstore.hunt=", hunt))
	return []step{
		{"Plans", "Each hot statement is run once on a large table; its actual plan uses the index that was created for it and reads no whole table.",
			tests("(Indexes|Index)$/^sqlserver$", store), nil, false},
		{"Locks", "Batches of the full size lock fewer than 4,000 rows of a table or index, and no table.",
			tests("^TestBatchesDoNotLockTables$/^sqlserver$", store), nil, true},
		{"Suspended workers", "The session of a worker that is suspended in a transaction is found and ended.",
			tests("^TestStalledSessionIsEnded$/^sqlserver$", store), nil, true},
		{"Deadlocks with READ_COMMITTED_SNAPSHOT", "Four processes claim, finish, beat, run passes, enqueue and clean up at once. Error 1205 is a deadlock, 1222 a lock timeout.",
			deadlocks, versions("ON"), true},
		{"Deadlocks without READ_COMMITTED_SNAPSHOT", "The same, where readers wait for writers.",
			deadlocks, versions("OFF"), true},
		{"Conformance with READ_COMMITTED_SNAPSHOT", "The behaviour that every store must have.", conformance, versions("ON"), false},
		{"Conformance without READ_COMMITTED_SNAPSHOT", "The same, where readers wait for writers.", conformance, versions("OFF"), false},
		{"Benchmark", "How fast a worker drains items without work.",
			[]string{"go", "run", "./cmd/botwork", "bench", "drain", "--items", "5000"}, nil, true},
		{"All tests", "Every test that runs on a database, on this one.", tests(".", "./..."), []string{"BOTWORK_TEST_GROUPS=nightly,processes"}, false},
	}
}
