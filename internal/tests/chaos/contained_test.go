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
)

// TestLookAlikesAreToldApart torments workers in containers: each process is process 1 of
// its pid namespace, on one host name, and two of them are started under names that
// others have. Nobody may take one that is alive for dead.
func TestLookAlikesAreToldApart(t *testing.T) {
	if out, err := exec.CommandContext(t.Context(), "unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("unshare: %v: %s", err, out)
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) { torment(t, e, shape{cron: *cron, contained: true}) })
}

// contain has a command run as process 1 of a pid namespace of its own.
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

// namesake returns the node that runs under the name of another one; nil if none does.
func (c *cluster) namesake(of *node) *node {
	for _, n := range c.nodes {
		if n != of && n.name == of.name && n.atWork() && n.started() {
			return n
		}
	}
	return nil
}
