//go:build linux

package failover

import (
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The defaults are the short form, which is part of the normal tests.
var (
	rounds    = flag.Int("failover.rounds", 1, "how often each way to fail is tried")
	busy      = flag.Duration("failover.busy", 3*time.Second, "how long the workers are at work before the primary fails, and before the standby is promoted")
	lease     = flag.Duration("failover.lease", 6*time.Second, "worker.lease")
	heartbeat = flag.Duration("failover.heartbeat", 1500*time.Millisecond, "worker.heartbeat")
	patience  = flag.Duration("failover.patience", 2*time.Minute, "how long the workers may take to go on, and to finish")
	keep      = flag.Bool("failover.keep", false, "keep the project, the ledger and the logs even when nothing is wrong")
)

// binary is the worker of internal/chaos, built once.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "botwork-failover-build-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "worker")
	build := exec.Command("go", "build", "-o", binary, "botwork/internal/chaos/worker")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		panic(err)
	}
	return m.Run()
}

// readSources touches everything that the binary is made of: the test cache does not know
// what go build reads.
var readSources = sync.OnceValue(func() error {
	sources := []string{".go", ".mod", ".sum", ".yaml", ".sql", ".csv", ".json", ".md"}
	return filepath.WalkDir(filepath.Join("..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && strings.Trim(entry.Name(), ".") != "" {
			return fs.SkipDir
		}
		if err == nil && slices.Contains(sources, filepath.Ext(path)) {
			_, err = os.Stat(path)
		}
		return err
	})
})
