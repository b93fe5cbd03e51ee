//go:build linux

package failover

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/internal/testgroup"
)

// A synchronous standby has everything that was acknowledged: no item is lost, and no item
// runs twice at the same time, whether the primary died or froze.
func TestSynchronousStandby(t *testing.T) {
	testgroup.Need(t, testgroup.Chaos)
	for _, way := range []struct {
		name, commit string
		fail         func(*server)
	}{
		{"killed", "on", (*server).kill},
		{"frozen", "remote_apply", (*server).freeze},
	} {
		for round := range *rounds {
			t.Run(fmt.Sprintf("%s-%d", way.name, round+1), func(t *testing.T) {
				t.Parallel()
				c := newCluster(t)
				c.primary.exec("ALTER SYSTEM SET synchronous_commit = "+way.commit, "ALTER SYSTEM SET synchronous_standby_names = 'standby'", "SELECT pg_reload_conf()")
				c.primary.await("SELECT sync_state FROM pg_stat_replication", "sync")
				c.startWorkers()
				stop := c.feed()
				pause(t, *busy)
				way.fail(c.primary)
				pause(t, *busy) // a promotion takes some time
				c.standby.promote()
				promoted := time.Now()
				waited := c.beganAfter(promoted)
				pause(t, *busy)
				stop()
				c.settle()
				f := c.judge()
				if f.lost > 0 || f.overlaps > 0 {
					t.Errorf("%d acknowledged items are lost, %d runs overlapped (longest %v); want none", f.lost, f.overlaps, f.longest)
				}
				t.Logf("%d items, %d run again, %d of them after their end, work continued %v after the promotion", f.items, f.repeated, f.unrecorded, waited.Round(10*time.Millisecond))
			})
		}
	}
}

// A standby that lags loses acknowledged items; this is expected. But no claim is repeated,
// no id of a lost item is used for another one, and the loss is reported.
func TestAsynchronousStandby(t *testing.T) {
	testgroup.Need(t, testgroup.Chaos)
	for round := range *rounds {
		t.Run(fmt.Sprint(round+1), func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			c.startWorkers()
			stop := c.feed()
			pause(t, *busy)
			c.primary.stopSending()
			pause(t, *busy)
			c.primary.kill()
			c.standby.promote()
			promoted := time.Now()
			waited := c.beganAfter(promoted)
			pause(t, *busy)
			stop()
			c.settle()
			f := c.judge()
			if f.lost == 0 {
				t.Error("no item is lost, so the test is not meaningful")
			}
			t.Logf("%d of %d acknowledged items are lost, %d runs again, %d of them after their end, %d overlapped, the longest for %v; work continued %v after the promotion",
				f.lost, f.items, f.repeated, f.unrecorded, f.overlaps, f.longest.Round(time.Millisecond), waited.Round(10*time.Millisecond))
			if n := strings.Count(c.logs(), "the database may have lost its latest transactions"); n == 0 {
				t.Error("no worker has logged lost transactions")
			}
			for _, command := range [][]string{{"check"}, {"doctor"}} {
				if output, _ := c.run(command...); !strings.Contains(output, "epoch 1 started") || !strings.Contains(output, "00000002") {
					t.Errorf("botwork %s does not show the epoch and the timeline:\n%s", command[0], output)
				}
			}
		})
	}
}

func pause(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	<-ctx.Done()
}
