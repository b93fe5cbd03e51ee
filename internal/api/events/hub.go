package events

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	// every is the time between two turns, each of one query or none.
	every = time.Second

	// kept and keptFor bound the events that a client that comes back can still get.
	kept    = 1000
	keptFor = 5 * time.Minute

	// pending is how many events may wait for a client before it is too slow.
	pending = 64

	// mostOfCaller bounds the streams of a caller. A browser has one for each open page.
	mostOfCaller = 50
)

// The reasons why a client is sent away.
var (
	ErrSlow     = errors.New("the client reads too slowly")
	ErrDraining = errors.New("the server is shutting down")
	ErrFull     = errors.New("as many clients as the server allows read events")
)

// CallerFullError is returned if a caller has as many streams as one caller may have.
type CallerFullError struct{ Streams int }

func (e *CallerFullError) Error() string {
	return fmt.Sprintf("the caller has %d streams of events, as many as one caller may have", e.Streams)
}

// Hub reads what changes and hands it to clients. It is safe for concurrent use.
type Hub struct {
	source *source
	log    zerolog.Logger
	most   int

	mu      sync.Mutex
	clients map[*Client]bool
	callers map[string]int // how many clients each has
	events  []stamped      // the latest ones
	last    uint64         // id of the last event
	wake    chan struct{}
}

type stamped struct {
	Event
	at time.Time
}

// NewHub returns a hub for at most so many clients. A caller may have half of them, and mostOfCaller at most.
func NewHub(store Store, most int, log zerolog.Logger) *Hub {
	return &Hub{
		source: newSource(store), log: log, most: most, clients: map[*Client]bool{}, callers: map[string]int{}, wake: make(chan struct{}, 1),
		// Ids of another process, or of an earlier one, are never taken for one of this hub's.
		last: uint64(time.Now().UnixMilli()) << 20,
	}
}

// Client is one reader of events.
type Client struct {
	hub    *Hub
	caller string
	filter Filter
	events chan Event

	mu  sync.Mutex
	err error // why events was closed
}

// Events returns the events, in their order. It is closed when the client is sent away: see Err.
func (c *Client) Events() <-chan Event { return c.events }

// Err returns why the client was sent away.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Most returns how many clients the hub may have, and how many a caller may have.
func (h *Hub) Most() (clients, ofCaller int) { return h.most, min(mostOfCaller, (h.most+1)/2) }

// Subscribe adds a client of a caller. If after is the id of an event that is still kept, the client first
// gets those that followed; missed reports that it has missed some. Call Close at the end.
func (h *Hub) Subscribe(caller string, f Filter, after uint64) (c *Client, missed bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.clients) >= h.most {
		return nil, false, ErrFull
	}
	if _, most := h.Most(); h.callers[caller] >= most {
		return nil, false, &CallerFullError{most}
	}
	c = &Client{hub: h, caller: caller, filter: f, events: make(chan Event, pending)}
	if after != 0 {
		missed = h.replayLocked(c, after)
	}
	h.clients[c] = true
	h.callers[caller]++
	h.source.follow(f.Items)
	select {
	case h.wake <- struct{}{}:
	default:
	}
	return c, missed, nil
}

// replayLocked gives a client the events after an id. It returns true if it cannot give all.
func (h *Hub) replayLocked(c *Client, after uint64) (missed bool) {
	if after == h.last {
		return false
	}
	first := -1
	for i := range h.events {
		if h.events[i].ID == after {
			first = i + 1
		}
	}
	if first < 0 {
		return true
	}
	for _, e := range h.events[first:] {
		if view, ok := c.filter.view(e.Event); ok {
			select {
			case c.events <- view:
			default:
				return true
			}
		}
	}
	return false
}

// Close removes the client.
func (c *Client) Close() { c.hub.remove(c, nil) }

func (h *Hub) remove(c *Client, why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.removeLocked(c, why)
}

func (h *Hub) removeLocked(c *Client, why error) {
	if !h.clients[c] {
		return
	}
	delete(h.clients, c)
	if h.callers[c.caller]--; h.callers[c.caller] == 0 {
		delete(h.callers, c.caller)
	}
	h.source.unfollow(c.filter.Items)
	c.mu.Lock()
	c.err = why
	c.mu.Unlock()
	close(c.events)
}

// Run reads and hands out events until ctx ends; then it sends all clients away.
func (h *Hub) Run(ctx context.Context) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	defer h.closeAll()
	for {
		if h.idle() {
			h.source.forget()
			select {
			case <-ctx.Done():
				return
			case <-h.wake:
			}
		}
		events, err := h.source.read(ctx, h.topics())
		if err != nil && ctx.Err() == nil {
			h.log.Warn().Err(err).Msg("could not read what has changed for the clients of events")
		}
		h.publish(events)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (h *Hub) idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.clients) == 0
}

// topics returns what at least one client wants.
func (h *Hub) topics() map[Topic]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	wanted := map[Topic]bool{}
	for c := range h.clients {
		for _, t := range c.filter.Topics {
			wanted[t] = true
		}
		if len(c.filter.Items) > 0 {
			wanted[Item] = true
		}
	}
	return wanted
}

// publish gives events to the clients that want them. A client whose events wait for too long is
// sent away, so that it delays no other.
func (h *Hub) publish(events []Event) {
	if len(events) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	for _, e := range events {
		h.last++
		e.ID = h.last
		h.events = append(h.events, stamped{e, now})
		for c := range h.clients {
			view, ok := c.filter.view(e)
			if !ok {
				continue
			}
			select {
			case c.events <- view:
			default:
				h.removeLocked(c, ErrSlow)
			}
		}
	}
	drop := max(0, len(h.events)-kept)
	for drop < len(h.events) && now.Sub(h.events[drop].at) > keptFor {
		drop++
	}
	h.events = append(h.events[:0:0], h.events[drop:]...)
}

func (h *Hub) closeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		h.removeLocked(c, ErrDraining)
	}
}
