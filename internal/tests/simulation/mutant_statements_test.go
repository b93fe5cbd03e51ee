package simulation

import (
	"flag"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/testgroup"
	"botwork/sql"
)

const (
	// enough is the number of seeds that catch each mutant; most mutants need a few.
	enough = 400

	// tries is how often a known seed is tried: goroutines that wake at the same instant run
	// in any order, so that a history may miss a mutant now and then.
	tries = 5
)

// known are seeds that catch mutants that few seeds catch. They are
// tried first; when histories change, other seeds must be searched for.
var known = map[string]uint64{
	"announce/again":                                        39,
	"assign/to a worker that drains":                        7,
	"assign/to a worker whose lease is over":                7,
	"assign/what is in a paused queue":                      7,
	"assign/what is past its deadline":                      6,
	"assigned_items/what is deleted":                        208,
	"assigned_items/what is in a paused queue":              60,
	"assigned_items/what is not due":                        36,
	"assigned_items/what is past its deadline":              36,
	"assigned_items/what is past its time to live":          128,
	"begin/compares no fence":                               13,
	"begin/compares no instance":                            43,
	"begin/compares no state":                               10,
	"begin/does not ask for the lease":                      82,
	"begin/refused, and the run goes on":                    19,
	"begin/said of all that is held":                        16,
	"begin/starts again what has begun":                     9,
	"claim/compares no instance":                            24,
	"claim/of a worker that drains":                         54,
	"claim/what is deleted":                                 9,
	"claim/what is past its deadline":                       21,
	"claim/what is past its time to live":                   36,
	"drain/gives back nothing":                              9,
	"due_queue/forgets items that run together":             23,
	"due_queue/forgets what was scheduled":                  330,
	"failures/a drain counts":                               28,
	"finish of successes/compares no fence":                 167,
	"finish of successes/compares no state":                 21,
	"finish/compares no fence":                              45,
	"finish/compares no instance":                           32,
	"finish/compares no state":                              15,
	"hoard/what was claimed long ago begins":                211,
	"lease/counted from the answer to the claim":            15,
	"lease/counted from the answer to the renewal":          1534,
	"lease/lost, and the run goes on":                       90,
	"locked/a lease that was passed over counts as renewed": 58,
	"locked/a result that was passed over is dropped":       30,
	"locked/no other lease counts as renewed":               109,
	"lost/forgets what was cancelled":                       44,
	"mark/of what has not changed":                          14,
	"progress/compares no fence":                            478,
	"progress/compares no state":                            37,
	"reassign/to a worker that drains":                      6,
	"reassign/to a worker whose lease is over":              14,
	"reassign/what is deleted":                              6,
	"reassign/what is not due":                              36,
	"reassign/what is past its deadline":                    64,
	"reassign/what is past its time to live":                38,
	"renewal/compares no fence":                             167,
	"renewal/says of all that it has begun":                 19,
	"rescue/leaves what gated workers have not started":     70,
	"rescue/one death too many":                             119,
	"results/dropped when they are refused":                 22,
	"shares/go before queues without one":                   14,
	"shares/what cannot run opens a place":                  157,
	"slots/a step keeps those of the later ones":            26,
	"slots/of a channel without its maximum":                106,
	"steps/added to what does not run":                      77,
	"steps/added without the fence":                         48,
	"steps/keeps what follows a step that ran again":        199,
	"steps/replaced without the fence":                      176,
	"steps/skips what was not recorded":                     48,
	"steps/the record of another definition is used":        48,
	"still/forgets hidden items":                            20,
	"still/forgets the due time":                            13,
	"stranded/what is deleted":                              36,
	"stranded/what is past its time to live":                17,
	"take/what is in a paused queue":                        11,
	"take/what is past its deadline":                        534,
	"watchdog/is late":                                      28,
}

// raceDetector is true if the tests are compiled with the race detector: it makes
// histories ten times as long, and a mutant has no races to find.
var raceDetector bool

// change replaces a part of a text that must occur this number of times (0: once).
type change struct {
	old, new string
	times    int
}

// mutant is a careless change to a statement.
type mutant struct {
	name   string
	file   string // in sqlite/queries, without .sql
	change change
}

// mutants are careless changes to the statements, each of which breaks a
// promise. The machine of storetest tests that progress and the ends of successes compare
// the instance: these histories do not cover it. To understand a mutant, look at the log:
// go test ./internal/tests/simulation -run 'TestMutantsOfStatements/NAME' -v
var mutants = []mutant{
	{"finish/compares no fence", "finish", change{" AND Fence = j.ItemFence", "", 0}},
	{"finish/compares no state", "finish", change{" AND State = 1", "", 0}},
	{"finish/compares no instance", "finish", change{" AND w.InstanceId = @instance", " AND @instance <> ''", 0}},
	{"finish/keeps the lease", "finish", change{"    LeaseExpiresAt = NULL,\n", "", 0}},
	{"finish/counts no failure", "finish", change{"RetryCount = j.Failures", "RetryCount = RetryCount", 0}},
	{"finish/waits no backoff", "finish", change{"j.DelayMs / 1000.0", "0", 0}},
	{"finish of successes/compares no fence", "finish_plain", change{" AND Fence = j.value ->> 1", "", 0}},
	{"finish of successes/compares no state", "finish_plain", change{" AND State = 1", "", 0}},
	{"finish of successes/keeps the lease", "finish_plain", change{"    LeaseExpiresAt = NULL,\n", "", 0}},
	{"finish of successes/leaves the item running", "finish_plain", change{"    State = 2,\n", "", 0}},
	{"progress/compares no fence", "progress", change{" AND Fence = j.ItemFence", "", 0}},
	{"progress/compares no state", "progress", change{" AND State = 1", "", 0}},
	{"renewal/compares no fence", "beat_items", change{" AND Fence = j.ItemFence", "", 0}},
	{"renewal/compares no state", "beat_items", change{" AND State = 1", "", 0}},
	{"renewal/compares no instance", "beat_worker", change{" AND InstanceId = @instance", " AND @instance <> ''", 0}},
	{"renewal/lets stopped workers live", "beat_worker", change{" AND State <> 'stopped'", "", 0}},
	{"claim/raises no fence", "claim", change{"Fence = MAX(Fence, COALESCE((SELECT e.Epoch FROM BotInstallation e) * 1000000000, 0)) + 1", "Fence = Fence", 0}},
	{"claim/asks for no state", "claim", change{"State = 5 AND ", "State IN (0, 1, 4, 5) AND ", 2}},
	{"claim/takes other workers' items", "claim", change{" AND c.WorkerId = @worker", "", 0}},
	{"claim/compares no instance", "claim", change{"w.InstanceId = @instance", "@instance <> ''", 0}},
	{"claim/of a worker that drains", "claim", change{" AND w.State = 'active'", "", 0}},
	{"claim/does not look at the band", "claim", change{"c.Priority BETWEEN @min_priority AND @max_priority", "@min_priority <= @max_priority", 0}},
	{"claim/the least urgent first", "claim", change{"ORDER BY c.Priority DESC", "ORDER BY c.Priority", 2}},
	{"expire/forgets deadlines", "expired", change{"i.DeadlineAt < ", "'9' < ", 0}},
	{"lost/forgets what was cancelled", "still_held", change{"i.State = 1 AND ", "", 0}},
	{"rescue/does not repeat its condition", "rescue", change{"BotWorkQueueItems.State = 1 AND (BotWorkQueueItems.LeaseExpiresAt IS NULL OR ",
		"BotWorkQueueItems.State = 1 OR (BotWorkQueueItems.LeaseExpiresAt IS NULL OR ", 0}},
	{"rescue/takes from workers that live", "rescue", change{"OR NOT EXISTS (SELECT 1", "OR EXISTS (SELECT 1", 0}},
	{"rescue/counts no release", "rescue", change{"ReleaseCount = BotWorkQueueItems.ReleaseCount + CASE", "ReleaseCount = BotWorkQueueItems.ReleaseCount + 0 * CASE", 0}},
	{"rescue/counts what never ran", "rescue", change{"+ CASE WHEN BotWorkQueueItems.State = 1 AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence THEN 1 ELSE 0 END", "+ 1", 0}},
	{"rescue/counts what had not begun", "rescue", change{" AND BotWorkQueueItems.BegunFence = BotWorkQueueItems.Fence", "", 6}},
	{"rescue/does not say that a begin is missing", "rescue", change{"<> BotWorkQueueItems.Fence) THEN 0 ELSE", "<> BotWorkQueueItems.Fence) THEN NULL ELSE", 0}},
	{"begin/compares no fence", "begin", change{" AND Fence = j.ItemFence", "", 0}},
	{"begin/compares no state", "begin", change{" AND State = 1", "", 0}},
	{"begin/compares no instance", "begin", change{" AND w.InstanceId = @instance", " AND @instance <> ''", 0}},
	{"begin/does not ask for the lease", "begin", change{"LeaseExpiresAt >= ", "'9' >= ", 0}},
	{"begin/starts again what has begun", "begin", change{"StartedAt = CASE WHEN BegunFence = Fence THEN", "StartedAt = CASE WHEN BegunFence < 0 THEN", 0}},
	{"renewal/says of all that it has begun", "beat_items", change{"THEN Fence ELSE BegunFence END", "THEN Fence ELSE Fence END", 0}},
	{"rescue/one death too many", "rescue", change{"BotWorkQueueItems.ReleaseCount + 1 >= COALESCE", "BotWorkQueueItems.ReleaseCount + 1 > COALESCE", 5}},
	{"rescue/forgets what was assigned to the dead", "stale", change{"        OR NOT EXISTS (SELECT 1 FROM BotWorkers w", "        OR 0 <> 0 AND NOT EXISTS (SELECT 1 FROM BotWorkers w", 0}},
	{"rescue/forgets leases that a hand removed", "stale", change{"(i.LeaseExpiresAt IS NULL OR i.LeaseExpiresAt <", "(i.LeaseExpiresAt <", 0}},
	{"register/takes a live worker's name", "register", change{"    State = 'stopped'\n", "    State <> ''\n", 0}},
	{"register/keeps the leases of the process before", "expire_leases", change{"State = 1", "State = 99", 0}},
	{"register/ends the leases of a process that may live", "expire_leases", change{" AND w.InstanceId = @replaces", " AND @replaces <> w.InstanceId", 0}},
	{"drain/gives back a successor's items", "release_assigned", change{"w.InstanceId = @instance", "@instance <> ''", 0}},
	{"drain/gives back nothing", "release_assigned", change{"State = 5", "State = 99", 0}},
	{"assign/takes what runs", "assign", change{" AND State IN (0, 4)", "", 0}},
	{"assign/to workers whose lease is over", "workers_open", change{" AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= ", " AND (w.State = 'active' OR w.LeaseExpiresAt >= ", 0}},
	{"assign/to workers that drain", "workers_open", change{"AND w.State = 'active'", "AND w.State <> ''", 0}},
	{"assign/before its time", "due", change{"i.AvailableAt <= ", "'' <= ", 6}},
	{"assign/to gated workers", "workers_open", change{" AND w.Gate IS NULL", "", 0}},
	{"rescue/leaves what gated workers have not started", "stale", change{" AND w.Gate IS NULL", "", 0}},
	{"renewal/forgets the gate", "beat_worker", change{"Gate = @gate", "Gate = NULLIF(@gate, @gate)", 0}},
	{"firing/before its time", "firing", change{"WHERE @planned_at <= ", "WHERE '' <= ", 0}},
	{"firing/recorded before", "firing", change{"  AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings", "  OR NOT EXISTS (SELECT 1 FROM BotScheduleFirings", 0}},
	{"ready/before its time", "ready", change{"i.AvailableAt <= ", "'' <= ", 7}},
	{"ready/of another band", "ready", change{"i.Priority BETWEEN @min_priority AND @max_priority", "i.Priority BETWEEN 0 AND @min_priority + 0 * @max_priority", 7}},
	{"steps/added without the fence", "steps_add", change{" AND i.Fence = @fence", " AND @fence > 0", 0}},
	{"steps/replaced without the fence", "steps_replace", change{" AND i.Fence = @fence", "", 0}},
	{"steps/added to what does not run", "steps_add", change{" AND i.State = 1", "", 0}},
	{"steps/left when an item ends", "steps_remove", change{"i.State IN (2, 3)", "i.State = 3", 0}},
	{"stranded/forgets the dead", "stranded", change{" OR w.LeaseExpiresAt <", " OR '9' <", 0}},
}

// A mutant whose text has changed is found here in a moment.
func TestMutantsMatchTheStatements(t *testing.T) {
	for _, m := range slices.Concat(mutants, eligibilityMutants()) {
		t.Run(m.name, func(t *testing.T) { m.statements(t) })
	}
	for _, m := range slices.Concat(shareStatementMutants, escalationMutants) {
		t.Run(m.name, func(t *testing.T) { m.unexpanded(t) })
	}
}

// oneIn makes a run try a part of the mutants; the others have their turns on the following days.
var oneIn = flag.Int("one-in", 1, "try one in so many of the mutants of statements, batches, shares and escalation")

// Each of these changes must be caught.
func TestMutantsOfStatements(t *testing.T) {
	testgroup.Need(t, testgroup.Mutants)
	if raceDetector {
		t.Skip("mutants are caught without the race detector: make simulate")
	}
	today := time.Now().YearDay()
	for i, m := range slices.Concat(mutants, eligibilityMutants()) {
		if (i+today)%*oneIn != 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			caught(t, known[m.name], trial{statements: m.statements(t)})
		})
	}
}

// The database's clock decides about leases, not the clocks of its clients.
func TestLocalClocksAreCaught(t *testing.T) {
	testgroup.Need(t, testgroup.Mutants)
	t.Parallel()
	caught(t, 0, trial{localClock: true})
}

// statements returns the changed statement by its path.
func (m mutant) statements(t *testing.T) map[string]string {
	t.Helper()
	path := "sqlite/queries/" + m.file + ".sql"
	text, err := sql.Read(sql.Files, path)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{path: m.change.apply(t, text)}
}

// unexpanded returns the changed statement by its path, with its calls of fragments. file names the
// folder, too, so that a mutant can change a fragment.
func (m mutant) unexpanded(t *testing.T) map[string]string {
	t.Helper()
	path := "sqlite/" + m.file + ".sql"
	text, err := fs.ReadFile(sql.Files, path)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{path: m.change.apply(t, string(text))}
}

// apply changes a text. It fails if the text no longer matches the change, because a
// mutant without a change would prove nothing.
func (c change) apply(t *testing.T, text string) string {
	t.Helper()
	if got, want := strings.Count(text, c.old), max(1, c.times); got != want {
		t.Fatalf("%q occurs %d times, want %d: the change no longer matches the text", c.old, got, want)
	}
	return strings.ReplaceAll(text, c.old, c.new)
}

// caught checks that one of the seeds finds a violation.
func caught(t *testing.T, first uint64, tr trial) {
	t.Helper()
	for n := range uint64(tries + enough) {
		seed := first
		if n >= tries {
			seed = n - tries + 1
		}
		if seed == 0 {
			continue // no seed is known
		}
		if j := history(t, seed, tr); len(j.violations) > 0 {
			t.Logf("caught by seed %d: %s", seed, j.violations[0])
			return
		}
	}
	t.Errorf("none of %d histories has a violation", enough)
}
