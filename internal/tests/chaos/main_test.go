//go:build unix

package chaos

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"botwork/internal/testgroup"
	"botwork/internal/tests/testbuild"
)

// The parameters of the torment. The defaults are the short form; `make chaos` sets those of the
// long form.
var (
	duration   = flag.Duration("chaos.for", 20*time.Second, "how long processes are killed, suspended and drained, for each engine")
	seed       = flag.Uint64("chaos.seed", 0, "the seed of all random acts; 0 draws one and prints it")
	lease      = flag.Duration("chaos.lease", 10*time.Second, "worker.lease")
	heartbeat  = flag.Duration("chaos.heartbeat", 2500*time.Millisecond, "worker.heartbeat")
	cron       = flag.String("chaos.cron", "*/3 * * * * *", "when ExecuteWorkQueue runs; \"* * * * *\" is the shipped minute")
	recoveries = flag.Int("chaos.recoveries", 1, "how many kills TestRecovery measures")
	lateness   = flag.Duration("chaos.lateness", 0, "how long after it woke up a suspended process may still write; 0 is half a lease")
	keep       = flag.Bool("chaos.keep", false, "keep the project, the ledger and the logs even if the test passes")
	patience   = flag.Duration("chaos.patience", 4*time.Minute, "how long the cluster may take to finish after the torment")
)

// binary is the worker, and program is the program of its Exec steps; both are built once.
var binary, program string

func TestMain(m *testing.M) {
	flag.Parse()
	if !testgroup.Asked(testgroup.Chaos) {
		os.Exit(m.Run()) // what needs the programs is skipped
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := testbuild.Programs("botwork/internal/tests/chaos/worker", "botwork/internal/tests/chaos/program")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary, program = filepath.Join(dir, "worker"), filepath.Join(dir, "program")
	return m.Run()
}
