//go:build unix

package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
)

// TestContainersWithSameNameAreDistinguished torments workers in containers: each process is process
// 1 of its pid namespace, all have one host name, and two of them are started under names that
// others have. No worker may conclude that a live one is dead.
func TestContainersWithSameNameAreDistinguished(t *testing.T) {
	testgroup.Need(t, testgroup.Chaos)
	if out, err := exec.CommandContext(t.Context(), "unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("unshare: %v: %s", err, out)
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) { torment(t, e, shape{cron: *cron, contained: true}) })
}

// contain returns a command that runs as process 1 of its own pid namespace.
func contain(cmd *exec.Cmd) *exec.Cmd {
	args := append([]string{"--pid", "--fork", "--kill-child", "--mount-proc", cmd.Path}, cmd.Args[1:]...)
	contained := exec.Command("unshare", args...)
	contained.Dir, contained.Env = cmd.Dir, cmd.Env
	return contained
}

// inside returns the only child of a process, once it has one.
func inside(parent int) (*os.Process, error) {
	for late := time.Now().Add(*patience); time.Now().Before(late); time.Sleep(time.Millisecond) {
		lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
		if err != nil {
			return nil, err
		}
		for _, list := range lists {
			text, _ := os.ReadFile(list) // the process may have ended
			if child, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				return os.FindProcess(child)
			}
		}
	}
	return nil, fmt.Errorf("process %d has no child", parent)
}

// namesake returns another node that runs under the same name; nil if there is none.
func (c *cluster) namesake(of *node) *node {
	for _, n := range c.nodes {
		if n != of && n.name == of.name && n.atWork() && n.started() {
			return n
		}
	}
	return nil
}
