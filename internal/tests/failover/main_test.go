//go:build linux

package failover

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"botwork/internal/testgroup"
	"botwork/internal/tests/testbuild"
)

// The defaults are the short form; `make chaos` sets those of the long form.
var (
	rounds    = flag.Int("failover.rounds", 1, "how often each way to fail is tried")
	busy      = flag.Duration("failover.busy", 3*time.Second, "how long the workers are at work before the primary fails, and before the standby is promoted")
	lease     = flag.Duration("failover.lease", 6*time.Second, "worker.lease")
	heartbeat = flag.Duration("failover.heartbeat", 1500*time.Millisecond, "worker.heartbeat")
	patience  = flag.Duration("failover.patience", 2*time.Minute, "how long the workers may take to go on, and to finish")
	keep      = flag.Bool("failover.keep", false, "keep the project, the ledger and the logs even when nothing is wrong")
)

// binary is the worker of internal/tests/chaos, built once.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	if !testgroup.Asked(testgroup.Chaos) {
		os.Exit(m.Run()) // what needs the programs is skipped
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := testbuild.Programs("botwork/internal/tests/chaos/worker")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "worker")
	return m.Run()
}
