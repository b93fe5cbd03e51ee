// Package longpoll lets requests wait for items of queues. The requests of a queue share one
// watcher, so that a waiting robot costs no query of its own: the watcher looks for items when
// something may have become due, and once a second, on behalf of the request that waits longest.
//
// Requests that could take the same items are a group: the same queue and the same filter. If one
// of them finds nothing, the others would find nothing either. If one finds an item, the next ones
// try, at most maxTurns at the same time.
package longpoll

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrTooMany is returned if as many requests wait as may.
var ErrTooMany = errors.New("too many requests wait")

const (
	// pollEvery is the time between two looks for items without a notice.
	pollEvery = time.Second

	// firstPause is the shortest time between two looks because of notices. It doubles up to
	// lastPause with each look that finds nothing, because the notices may be about other queues.
	firstPause, lastPause = 5 * time.Millisecond, 50 * time.Millisecond

	// maxTurns bounds the requests of a group that look for items at the same time.
	maxTurns = 4

	// maxGroups bounds the groups of a queue that get a turn at one look. After a notice the others
	// follow after a pause, otherwise at the next looks.
	maxGroups = 20
)

// Hub is where requests wait. It is safe for concurrent use.
type Hub struct {
	most     int
	draining <-chan struct{}

	mu      sync.Mutex
	waiting int
	queues  map[string]*queue

	used     chan struct{} // closed when the first request waits
	use      sync.Once
	watchers sync.WaitGroup
}

// queue is a queue for which requests wait. It has a watcher as long as it is in the hub.
type queue struct {
	groups map[string]*group
	order  []string      // of the groups; the next look begins with the first one
	due    int           // groups that shall look because of a notice
	notice chan struct{} // holds a token if there may be items
	pause  time.Duration // after the next look because of a notice
	left   chan struct{} // closed when the last request has left
}

// group is the requests that could take the same items.
type group struct {
	waiters []*waiter // the longest waiting first, including those that have a turn
	turns   int       // waiters that have a turn
	most    int       // of turns at the same time
	again   bool      // there was a notice while a waiter had a turn
}

// waiter is one request.
type waiter struct {
	turn   chan struct{} // holds a token if it is the waiter's turn
	inTurn bool
}

// New returns a hub where at most this many requests wait, until draining is closed; nil: never.
func New(most int, draining <-chan struct{}) *Hub {
	return &Hub{most: most, draining: draining, queues: map[string]*queue{}, used: make(chan struct{})}
}

// Used is closed when the first request waits. Before that, notices are not needed.
func (h *Hub) Used() <-chan struct{} { return h.used }

// Waiting returns how many requests wait.
func (h *Hub) Waiting() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.waiting
}

// Notice reports that items of any queue may have become due.
func (h *Hub) Notice() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.queues {
		q.report()
	}
}

// NoticeOf reports that items of this queue may have become due.
func (h *Hub) NoticeOf(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if q := h.queues[name]; q != nil {
		q.report()
	}
}

func (q *queue) report() {
	q.due = len(q.order)
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.notice <- struct{}{}:
	default: // there is one already
	}
}

// Close waits until the watchers have ended. No request may wait any more.
func (h *Hub) Close() { h.watchers.Wait() }

// Request is a request for items.
type Request struct {
	Queue  string
	Filter string        // equal texts select the same items
	Wait   time.Duration // at most

	// Waits is called once, before the request begins to wait; nil: nothing is called.
	Waits func()

	// Take looks for items and reports whether it has got some. It is not called when ctx has
	// ended, and never twice at the same time.
	Take func() (bool, error)
}

// Wait calls Take when there may be items, until it gets some or fails, the time of the request has
// passed, the hub drains, or ctx ends. It returns the error of Take, or that of ctx.
func (h *Hub) Wait(ctx context.Context, r Request) error {
	w := &waiter{turn: make(chan struct{}, 1)}
	if err := h.join(&r, w); err != nil {
		return err
	}
	timer := time.NewTimer(r.Wait)
	defer timer.Stop()
	waits := sync.OnceFunc(func() {
		if r.Waits != nil {
			r.Waits()
		}
	})
	for {
		select {
		case <-w.turn:
		default:
			waits()
			select {
			case <-w.turn:
			case <-timer.C:
				h.leave(&r, w)
				return nil
			case <-h.draining:
				h.leave(&r, w)
				return nil
			case <-ctx.Done():
				h.leave(&r, w)
				return ctx.Err()
			}
		}
		if err := ctx.Err(); err != nil {
			h.leave(&r, w)
			return err
		}
		got, err := r.Take()
		if got || err != nil {
			h.finish(&r, w, got)
			return err
		}
		h.failed(&r, w)
	}
}

// join adds a waiter. If it is the only one of its group, it is its turn: otherwise the others
// have looked a moment ago.
func (h *Hub) join(r *Request, w *waiter) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting >= h.most {
		return ErrTooMany
	}
	h.waiting++
	h.use.Do(func() { close(h.used) })
	q := h.queues[r.Queue]
	if q == nil {
		q = &queue{groups: map[string]*group{}, pause: firstPause, notice: make(chan struct{}, 1), left: make(chan struct{})}
		h.queues[r.Queue] = q
		h.watchers.Go(func() { h.watch(q) })
	}
	g := q.groups[r.Filter]
	if g == nil {
		g = &group{most: 1}
		q.groups[r.Filter] = g
		q.order = append(q.order, r.Filter)
	}
	g.waiters = append(g.waiters, w)
	if len(g.waiters) == 1 {
		g.giveTurnsLocked()
	}
	return nil
}

// watch looks for items of a queue until the last waiter has left.
func (h *Hub) watch(q *queue) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		select {
		case <-q.left:
			return
		case <-poll.C:
			h.look(q)
			continue
		case <-q.notice:
		}
		h.look(q)
		pause := time.NewTimer(h.nextPause(q))
		select {
		case <-q.left:
			pause.Stop()
			return
		case <-pause.C:
		}
	}
}

// nextPause returns the pause after a look because of a notice.
func (h *Hub) nextPause(q *queue) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	pause := q.pause
	q.pause = min(2*pause, lastPause)
	return pause
}

// look gives one waiter of each group a turn.
func (h *Hub) look(q *queue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := min(len(q.order), maxGroups)
	if q.due > 0 {
		now = min(now, q.due)
		q.due -= now
	}
	for _, filter := range q.order[:now] {
		g := q.groups[filter]
		if g.turns > 0 {
			g.again = true // what was looked for may have begun before the notice
			continue
		}
		g.most = 1
		g.giveTurnsLocked()
	}
	q.order = slices.Concat(q.order[now:], q.order[:now])
	if q.due > 0 {
		q.wake()
	}
}

// giveTurnsLocked gives the waiters who wait longest a turn, as many as may have one.
func (g *group) giveTurnsLocked() {
	for _, w := range g.waiters {
		if g.turns >= g.most {
			return
		}
		if !w.inTurn {
			w.inTurn = true
			g.turns++
			w.turn <- struct{}{}
		}
	}
}

// failed ends the turn of a waiter who got nothing and keeps its place.
func (h *Hub) failed(r *Request, w *waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := h.queues[r.Queue]
	g := q.groups[r.Filter]
	w.inTurn = false
	g.turns--
	g.most = 1
	if g.again {
		g.again = false
		q.report()
	}
}

// finish ends the turn of a waiter who leaves with items or an error. Others may get some, too.
func (h *Hub) finish(r *Request, w *waiter, got bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := h.queues[r.Queue]
	if g := q.groups[r.Filter]; got {
		g.most = min(2*g.most, maxTurns)
		q.pause = firstPause
	}
	h.leaveLocked(r, w)
}

// leave removes a waiter who got nothing. If it was its turn, it is the turn of another.
func (h *Hub) leave(r *Request, w *waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leaveLocked(r, w)
}

func (h *Hub) leaveLocked(r *Request, w *waiter) {
	h.waiting--
	q := h.queues[r.Queue]
	g := q.groups[r.Filter]
	g.waiters = slices.DeleteFunc(g.waiters, func(other *waiter) bool { return other == w })
	if w.inTurn {
		g.turns--
		g.giveTurnsLocked()
	}
	if len(g.waiters) > 0 {
		return
	}
	delete(q.groups, r.Filter)
	q.order = slices.DeleteFunc(q.order, func(filter string) bool { return filter == r.Filter })
	if len(q.groups) == 0 {
		delete(h.queues, r.Queue)
		close(q.left)
	}
}
