package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"botwork/client"
	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/sqlstore"
)

// APIOptions are the options of [API].
type APIOptions struct {
	Common
	Robots int           // that work at the same time
	Max    int           // items of one request of a robot
	Items  int           // that wait when the robots begin
	Rate   int           // items per second that are enqueued while the robots wait
	For    time.Duration // how long they are enqueued
	Idle   time.Duration // how long robots that wait in vain are measured; 0: not measured
}

// The figures of robots that wait while nothing happens, of the server's process.
const (
	IdleRobotsCPUPercent          Figure = "idleRobotsCpuPercent"
	IdleRobotsStatementsPerSecond Figure = "idleRobotsStatementsPerSecond"
)

// apiQueue is the queue of the robots.
const apiQueue = "robots"

func (o APIOptions) later() int { return max(int(float64(o.Rate)*o.For.Seconds()), 1) }

// warmed returns the options of the warm-up round.
func (o APIOptions) warmed() APIOptions {
	o.Items, o.For, o.Idle = warmUp(o.Items), min(o.For, time.Second), 0
	return o
}

func (o APIOptions) all() int { return o.Items + o.later() }

// Work is the total that Progress reports.
func (o APIOptions) Work() int { return o.warmed().all() + o.rounds()*o.all() }

// API measures robots that take items over HTTP, with a long poll, and send a heartbeat and the
// result of each, or of all that they have taken at once. The server is another process; the robots are in this one.
func API(ctx context.Context, o APIOptions) (Report, error) {
	var all Count
	rounds, err := o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
		now := o
		if of.warms() {
			now = o.warmed()
		}
		s, count, err := now.round(ctx)
		all.add(count)
		return s, err
	})
	report := o.newReport("api", o.Items, rounds)
	return report, errors.Join(err, report.count(all))
}

func (o APIOptions) round(ctx context.Context) (s Sample, count Count, err error) {
	s = Sample{}
	err = o.inStore(ctx, func(store *sqlstore.Store, dsn string) (err error) {
		token, err := o.prepare(ctx, store)
		if err != nil {
			return err
		}
		server, err := o.startChild(ctx, job{Driver: o.Driver, DSN: dsn, Name: "server", API: true, Capacity: o.Robots})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.end()) }()
		crew, err := o.crew(server.url, token)
		if err != nil {
			return err
		}
		defer crew.transport.CloseIdleConnections()
		if err := o.measure(ctx, store, server, crew, s); err != nil {
			return err
		}
		count, err = crew.verify(ctx, store, o.all())
		return err
	})
	return s, count, err
}

// prepare creates the queue, the items that wait, and the robots' token.
func (o APIOptions) prepare(ctx context.Context, store *sqlstore.Store) (token string, err error) {
	if _, err := store.DefineQueues(ctx, []workqueue.Queue{{Name: apiQueue, Consumer: workqueue.ConsumerRobots}}, "bench"); err != nil {
		return "", err
	}
	items := make([]workqueue.NewItem, o.Items)
	for i := range items {
		items[i] = workqueue.NewItem{QueueName: apiQueue, State: workqueue.Pending, Priority: 1000, Payload: `{"invoice":4711}`}
	}
	if _, err := store.Enqueue(ctx, items); err != nil {
		return "", err
	}
	_, token, err = auth.CreateToken(ctx, store, access.NewTokenParams{Name: "bench", Role: access.Robot, Queues: []string{apiQueue}, By: "bench"})
	return token, err
}

// apiCrew is the robots of a round.
type apiCrew struct {
	robots    int
	max       int
	client    *client.Client
	transport *http.Transport
	progress  func(int)

	taken tally
	ended atomic.Int64
	done  chan struct{} // receives a token when an item has ended

	mu sync.Mutex
	at map[int64]time.Time // when an item was received
}

func (o APIOptions) crew(url, token string) (*apiCrew, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.Proxy = 2*o.Robots+10, 2*o.Robots+10, nil
	c, err := client.New(url, token, client.Options{HTTP: &http.Client{Transport: t}})
	return &apiCrew{robots: o.Robots, max: o.Max, client: c, transport: t, progress: o.progress, done: make(chan struct{}, 1), at: map[int64]time.Time{}}, err
}

// work is one robot, until ctx ends.
func (c *apiCrew) work(ctx context.Context) error {
	for ctx.Err() == nil {
		items, err := c.client.Take(ctx, apiQueue, client.Take{Max: c.max, Lease: time.Minute, Wait: 30 * time.Second})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if len(items) == 0 {
			continue
		}
		now := time.Now()
		c.mu.Lock()
		for _, it := range items {
			c.at[it.ID] = now
			c.taken.note(it.ID)
		}
		c.mu.Unlock()
		if err := c.handle(context.WithoutCancel(ctx), items); err != nil {
			return err
		}
		c.ended.Add(int64(len(items)))
		c.progress(len(items))
		select {
		case c.done <- struct{}{}:
		default:
		}
	}
	return nil
}

// handle sends a heartbeat and the results of what a robot has taken.
func (c *apiCrew) handle(ctx context.Context, items []*client.Item) error {
	output := map[string]int{"pages": 3}
	if c.max == 1 {
		h := items[0].Hold()
		b, err := c.client.Heartbeat(ctx, h, time.Minute, client.Progress{})
		if err == nil && !b.Continue {
			err = b.Reason
		}
		if err == nil {
			_, err = c.client.Succeed(ctx, h, output, nil)
		}
		return err
	}
	beats, ends := make([]client.HoldBeat, len(items)), make([]client.HoldEnd, len(items))
	for i, it := range items {
		beats[i], ends[i] = client.HoldBeat{Hold: it.Hold()}, client.HoldEnd{Hold: it.Hold(), Output: output}
	}
	beaten, err := c.client.HeartbeatMany(ctx, beats, time.Minute)
	for _, b := range beaten {
		if b.Problem != nil {
			return fmt.Errorf("heartbeat of item %d: %w", b.ID, b.Problem)
		}
		if !b.Continue {
			return fmt.Errorf("heartbeat of item %d: %w", b.ID, b.Reason)
		}
	}
	if err != nil {
		return err
	}
	ended, err := c.client.EndMany(ctx, ends)
	for _, e := range ended {
		if e.Problem != nil {
			return fmt.Errorf("end of item %d: %w", e.ID, e.Problem)
		}
	}
	return err
}

// measure lets the robots work: first on items that wait, then on items that arrive while the
// robots wait, and then on nothing.
func (o APIOptions) measure(ctx context.Context, store *sqlstore.Store, server *child, crew *apiCrew, s Sample) (err error) {
	working, stop := context.WithCancelCause(ctx)
	var robots sync.WaitGroup
	defer func() {
		stop(nil)
		robots.Wait()
		if cause := context.Cause(working); cause != nil && !errors.Is(cause, context.Canceled) {
			err = errors.Join(err, cause)
		}
	}()
	begin, err := server.usage()
	if err != nil {
		return err
	}
	started := time.Now()
	for range crew.robots {
		robots.Go(func() {
			if err := crew.work(working); err != nil {
				stop(err)
			}
		})
	}
	if err := crew.wait(working, o.Items); err != nil {
		return err
	}
	s[ItemsPerSecond] = perSecond(o.Items, started)
	end, err := server.usage()
	if err != nil {
		return err
	}
	s[CPUSecondsPer1000], s[PeakRSSMb] = (end.CPUSeconds-begin.CPUSeconds)/float64(o.Items)*1000, end.PeakRSSMb
	if err := o.arrive(working, crew, s); err != nil {
		return err
	}
	if o.Idle == 0 {
		return nil
	}
	if begin, err = server.usage(); err != nil {
		return err
	}
	started = time.Now()
	if err := sleepUntil(working, started.Add(o.Idle)); err != nil {
		return err
	}
	if end, err = server.usage(); err != nil {
		return err
	}
	took := time.Since(started).Seconds()
	s[IdleRobotsCPUPercent] = 100 * (end.CPUSeconds - begin.CPUSeconds) / took
	s[IdleRobotsStatementsPerSecond] = float64(end.Statements-begin.Statements) / took
	return nil
}

// arrive enqueues items one by one over HTTP at a steady rate, and measures the time from the
// answer until a robot has received the item.
func (o APIOptions) arrive(ctx context.Context, crew *apiCrew, s Sample) error {
	returned := map[int64]time.Time{}
	begin := time.Now()
	for i := range o.later() {
		if err := sleepUntil(ctx, begin.Add(time.Duration(i)*time.Second/time.Duration(o.Rate))); err != nil {
			return err
		}
		made, err := crew.client.Enqueue(ctx, apiQueue, client.NewItem{Payload: map[string]int{"invoice": i}})
		if err != nil {
			return err
		}
		returned[made[0].ID] = time.Now()
	}
	if err := crew.wait(ctx, o.all()); err != nil {
		return err
	}
	crew.mu.Lock()
	defer crew.mu.Unlock()
	waits := make([]float64, 0, len(returned))
	for id, at := range returned {
		waits = append(waits, milliseconds(max(crew.at[id].Sub(at), 0)))
	}
	s.percentiles(waits)
	return nil
}

// wait returns when this many items have ended.
func (c *apiCrew) wait(ctx context.Context, items int) error {
	patience := time.NewTimer(10 * time.Minute)
	defer patience.Stop()
	for c.ended.Load() < int64(items) {
		select {
		case <-c.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-patience.C:
			return fmt.Errorf("%w: %d of %d items have ended", ErrWrongCount, c.ended.Load(), items)
		}
	}
	return nil
}

// verify compares the items with what the robots received.
func (c *apiCrew) verify(ctx context.Context, store *sqlstore.Store, items int) (Count, error) {
	count := Count{Items: items, RanTwice: c.taken.twice()}
	counts, err := store.CountItems(ctx, workqueue.ItemFilter{QueueName: apiQueue, States: []workqueue.State{workqueue.Processed}})
	count.Lost = max(items-int(counts), 0)
	return count, err
}
