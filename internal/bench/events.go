package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/sqlstore"
)

// EventsOptions are the options of [Events].
type EventsOptions struct {
	Common
	Clients int           // that follow events at the same time
	Rate    int           // items per second that are enqueued meanwhile
	For     time.Duration // how long each kind of clients is measured
}

// The figures of clients of events: those of the server's process, and how many events a client
// received a second.
const (
	SummariesCPUPercent          Figure = "summariesCpuPercent"
	SummariesStatementsPerSecond Figure = "summariesStatementsPerSecond"
	SummariesPerSecond           Figure = "summariesPerSecond"
	FollowedCPUPercent           Figure = "followedCpuPercent"
	FollowedStatementsPerSecond  Figure = "followedStatementsPerSecond"
	FollowedPerSecond            Figure = "followedPerSecond"
	AllEventsCPUPercent          Figure = "allEventsCpuPercent"
	AllEventsStatementsPerSecond Figure = "allEventsStatementsPerSecond"
	AllEventsPerSecond           Figure = "allEventsPerSecond"
	NoClientsCPUPercent          Figure = "noClientsCpuPercent"
	NoClientsStatementsPerSecond Figure = "noClientsStatementsPerSecond"
)

// followedItems is how many items the clients follow, each of them one. All change once a second.
const followedItems = 20

// Work is the total that Progress reports: kinds of clients.
func (o EventsOptions) Work() int { return len(eventPhases) * (1 + o.rounds()) }

// eventPhase is one kind of clients.
type eventPhase struct {
	query                   string // %d is the id of an item
	cpu, statements, events Figure
}

var eventPhases = []eventPhase{
	{"none", NoClientsCPUPercent, NoClientsStatementsPerSecond, ""},
	{"", SummariesCPUPercent, SummariesStatementsPerSecond, SummariesPerSecond},
	{"?item=%d", FollowedCPUPercent, FollowedStatementsPerSecond, FollowedPerSecond},
	{"?topic=items,queues,workers,runs&item=%d", AllEventsCPUPercent, AllEventsStatementsPerSecond, AllEventsPerSecond},
}

// Events measures what clients of Server-Sent Events cost a server while a queue moves: without
// clients, with clients of all summaries, with clients that follow an item, and with both. The
// server is another process; the clients are in this one. It is an error if a stream ends early.
func Events(ctx context.Context, o EventsOptions) (Report, error) {
	rounds, err := o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
		now := o
		if of.warms() {
			now.Clients, now.For = min(o.Clients, 20), min(o.For, time.Second)
		}
		return now.round(ctx)
	})
	return o.newReport("events", o.Clients, rounds), err
}

func (o EventsOptions) round(ctx context.Context) (s Sample, err error) {
	s = Sample{}
	err = o.inStore(ctx, func(store *sqlstore.Store, dsn string) (err error) {
		_, token, err := auth.CreateToken(ctx, store, access.NewTokenParams{Name: "bench", Role: access.Viewer, By: "bench"})
		if err != nil {
			return err
		}
		made, err := store.Enqueue(ctx, o.items(followedItems))
		if err != nil {
			return err
		}
		server, err := o.startChild(ctx, job{Driver: o.Driver, DSN: dsn, Name: "server", API: true, Capacity: o.Clients})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.end()) }()
		moving, stop := context.WithCancel(ctx)
		moved := make(chan error, 1)
		go func() { moved <- o.move(moving, store, workqueue.IDs(made)) }()
		defer func() {
			stop()
			err = errors.Join(err, <-moved)
		}()
		for _, phase := range eventPhases {
			if err := o.measure(ctx, server, token, phase, workqueue.IDs(made), s); err != nil {
				return err
			}
			o.progress(1)
		}
		return nil
	})
	return s, err
}

func (o EventsOptions) items(n int) []workqueue.NewItem {
	return slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "noop", State: workqueue.Pending, Priority: 1000}}, n)
}

// move enqueues items at a steady rate, and cancels and repeats those that are followed once a
// second, until ctx ends.
func (o EventsOptions) move(ctx context.Context, store *sqlstore.Store, followed []int64) error {
	const parts = 10 // of a second
	actions := []workqueue.Action{workqueue.Cancel, workqueue.Repeat}
	ticker := time.NewTicker(time.Second / parts)
	defer ticker.Stop()
	whole := context.WithoutCancel(ctx)
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if _, err := store.Enqueue(whole, o.items(max(o.Rate/parts, 1))); err != nil {
			return err
		}
		if i%parts != 0 {
			continue
		}
		for _, id := range followed {
			if _, err := store.ChangeItem(whole, id, workqueue.Change{Action: actions[i/parts%2]}); err != nil {
				return err
			}
		}
	}
}

// measure opens the streams of a phase, and measures from when each has had an event.
func (o EventsOptions) measure(ctx context.Context, server *child, token string, phase eventPhase, followed []int64, s Sample) (err error) {
	streams := &eventStreams{url: server.url + api.Prefix + "/events", token: token, transport: http.DefaultTransport.(*http.Transport).Clone()}
	defer streams.transport.CloseIdleConnections()
	reading, stop := context.WithCancelCause(ctx)
	defer func() {
		stop(nil)
		streams.running.Wait()
		if cause := context.Cause(reading); !errors.Is(cause, context.Canceled) {
			err = errors.Join(err, cause)
		}
	}()
	if phase.events != "" {
		begun := make(chan struct{}, o.Clients)
		for i := range o.Clients {
			query := phase.query
			if strings.Contains(query, "%d") {
				query = fmt.Sprintf(query, followed[i%len(followed)])
			}
			streams.running.Go(func() {
				if err := streams.read(reading, query, func() { begun <- struct{}{} }); reading.Err() == nil {
					stop(fmt.Errorf("a stream of events has ended: %w", err))
				}
			})
		}
		for range o.Clients {
			select {
			case <-begun:
			case <-reading.Done():
				return nil // the cause is the error
			}
		}
	}
	begin, err := server.usage()
	if err != nil {
		return err
	}
	started, before := time.Now(), streams.events.Load()
	if err := sleepUntil(reading, started.Add(o.For)); err != nil {
		return err
	}
	received := streams.events.Load() - before
	end, err := server.usage()
	if err != nil {
		return err
	}
	took := time.Since(started).Seconds()
	s[phase.cpu] = 100 * (end.CPUSeconds - begin.CPUSeconds) / took
	s[phase.statements] = float64(end.Observed-begin.Observed) / took
	if phase.events != "" {
		s[phase.events] = float64(received) / took / float64(o.Clients)
	}
	return nil
}

// eventStreams are open streams.
type eventStreams struct {
	url, token string
	transport  *http.Transport
	running    sync.WaitGroup
	events     atomic.Int64 // that all of them have received
}

// read reads one stream until it ends, which is an error. It calls begun at the first event.
func (e *eventStreams) read(ctx context.Context, query string, begun func()) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url+query, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+e.token)
	res, err := e.transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("got the status %s", res.Status)
	}
	first := sync.OnceFunc(begun)
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if reason, ended := strings.CutPrefix(lines.Text(), `data: {"reason":`); ended {
			return fmt.Errorf("the server has ended it: %s", strings.TrimSuffix(reason, "}"))
		}
		if strings.HasPrefix(lines.Text(), "data: ") {
			e.events.Add(1)
			first()
		}
	}
	return errors.Join(lines.Err(), errors.New("the connection was closed"))
}
