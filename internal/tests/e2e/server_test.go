//go:build unix

package e2e

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"botwork/client"
	"botwork/internal/faultproxy"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// The process with the HTTP API is killed and suspended while a robot works, and enqueues an item for
// each of its own. Each item succeeds, and each answered enqueue has made one item.
func TestRobotOfServerThatIsKilledAndHangs(t *testing.T) {
	const items, rounds = 150, 5
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		address := faultproxy.FreeAddress(t)
		x.environ = append(x.environ, "BOTWORK_HTTP_LISTEN="+address)
		x.must("queues", "create", "forms", "consumer=robots", "maxReleases=1000")
		x.must("queues", "create", "letters", "consumer=robots")
		token := x.must("tokens", "create", "bot", "--role", "robot", "--queue", "forms", "--queue", "letters")
		made := make([]workqueue.NewItem, items)
		for i := range made {
			made[i] = workqueue.NewItem{QueueName: "forms", State: workqueue.Pending}
		}
		if _, err := x.store.Enqueue(t.Context(), made); err != nil {
			t.Fatal(err)
		}
		serve := func() *program {
			p := x.worker("server", "LEASE=4s", "HEARTBEAT=1s")
			p.await("HTTP API started", 1)
			return p
		}
		server := serve()

		transport := &http.Transport{MaxIdleConnsPerHost: 10}
		defer transport.CloseIdleConnections()
		c, err := client.New("http://"+address, token[:len(token)-1], client.Options{
			HTTP: &http.Client{Transport: transport}, Timeout: 3 * time.Second, Attempts: 8, FirstBackoff: 20 * time.Millisecond, MaxBackoff: 500 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		var answered, unknown atomic.Int64
		robot := client.Robot{Client: c, Queue: "forms", Parallel: 4, Lease: 6 * time.Second, Wait: 2 * time.Second}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var working sync.WaitGroup
		working.Go(func() {
			err := robot.Run(ctx, func(run context.Context, it *client.Item) (any, error) {
				_, err := c.Enqueue(run, "letters", client.NewItem{Payload: map[string]int64{"of": it.ID}})
				if _, unsure := errors.AsType[*client.UnansweredError](err); unsure {
					unknown.Add(1)
				}
				if err != nil {
					return nil, client.Later(100*time.Millisecond, err.Error())
				}
				answered.Add(1)
				time.Sleep(time.Duration(20+rand.IntN(200)) * time.Millisecond)
				return nil, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		for round := range rounds {
			time.Sleep(time.Duration(300+rand.IntN(700)) * time.Millisecond)
			if round%2 == 0 {
				server.kill()
				server = serve()
			} else { // longer than a request may take
				server.signal(syscall.SIGSTOP)
				time.Sleep(3500 * time.Millisecond)
				server.signal(syscall.SIGCONT)
			}
		}
		count := func(queue string, states ...workqueue.State) int64 {
			n, err := x.store.CountItems(t.Context(), workqueue.ItemFilter{QueueName: queue, States: states})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for late := time.Now().Add(2 * patience); count("forms", workqueue.Processed) < items; time.Sleep(100 * time.Millisecond) {
			if time.Now().After(late) {
				t.Fatalf("%d of %d items have succeeded", count("forms", workqueue.Processed), items)
			}
		}
		stop()
		working.Wait()
		if n := count("letters"); n < answered.Load() || n > answered.Load()+unknown.Load() {
			t.Errorf("%d items were enqueued by %d answered requests and %d without an answer", n, answered.Load(), unknown.Load())
		}
		x.must("check")
	})
}
