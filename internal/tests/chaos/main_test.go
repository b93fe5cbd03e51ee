//go:build unix

package chaos

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"botwork/internal/tests/testbuild"
)

// How the cluster is tormented. The defaults are the short form, which is part of
// the normal tests; `make chaos` sets what the long one needs.
var (
	duration   = flag.Duration("chaos.for", 20*time.Second, "how long processes are killed, suspended and drained, for each engine")
	seed       = flag.Uint64("chaos.seed", 0, "decides what happens to whom; 0 draws one, which is printed")
	lease      = flag.Duration("chaos.lease", 10*time.Second, "worker.lease")
	heartbeat  = flag.Duration("chaos.heartbeat", 2500*time.Millisecond, "worker.heartbeat")
	cron       = flag.String("chaos.cron", "*/3 * * * * *", "when ExecuteWorkQueue runs; \"* * * * *\" is the shipped minute")
	recoveries = flag.Int("chaos.recoveries", 1, "how many kills TestRecovery measures")
	lateness   = flag.Duration("chaos.lateness", 0, "how long after it woke up a suspended process may still write; 0 is half a lease")
	keep       = flag.Bool("chaos.keep", false, "keep the project, the ledger and the logs even when nothing is wrong")
	patience   = flag.Duration("chaos.patience", 4*time.Minute, "how long the cluster may take to finish when nobody torments it any more")
)

// binary is the worker, and program what its Exec steps run, both built once.
var binary, program string

func TestMain(m *testing.M) {
	flag.Parse()
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
