package httpserver

import (
	"fmt"
	"net/http"
	"sync"
)

// Lane is a kind of requests with limits that are separate from those of the others, so that one kind
// cannot take what another needs.
type Lane int

const (
	// General is for requests of callers with a token or a session.
	General Lane = iota

	// Public is for requests that need neither: signing in, webhooks, and the files of the pages.
	Public

	// Heartbeat is for requests that keep a lease alive: without an answer in time, work is lost.
	Heartbeat

	// Health is for requests of monitors. They have no limit, so they must cost nearly nothing, and have no
	// body that a handler reads.
	Health
)

// Laned is a handler that knows the lane of each request. A handler that is none serves General.
type Laned interface {
	http.Handler
	Lane(r *http.Request) Lane
}

// The limits of a lane follow from Limits. A request is unfinished until its answer is sent; it is processed
// while it neither reads its body nor sends its answer. Waiting requests count as neither.
const (
	// unfinishedShare and clientUnfinishedShare are how many unfinished requests there may be for each one that
	// is processed: in all, and of one client. Each costs about 40 KB for its connection, header and goroutine.
	unfinishedShare       = 8
	clientUnfinishedShare = 2

	// minBodyMemory and minBodies bound the bodies in memory, in all: in bytes, or in bodies of the largest size
	// if these are larger. A client may use clientMemoryShare of it, or one body.
	minBodyMemory     = 64 << 20
	minBodies         = 4
	clientMemoryShare = 2 // half

	// generalMemory is how much more memory callers with credentials may use than others.
	generalMemory = 4
)

// lane bounds the requests of a Lane.
type lane struct {
	processed chan struct{} // holds a token for each request that is processed

	unfinishedMost, clientMost int
	memoryMost, clientMemory   int64

	mu         sync.Mutex
	unfinished int
	memory     int64 // bytes of bodies
	clients    map[string]*client
}

// client is what the requests of one network use of a lane.
type client struct {
	unfinished int
	memory     int64
}

func newLane(limits Limits, memory int64) *lane {
	memory *= max(minBodyMemory, minBodies*limits.Body)
	return &lane{
		processed:      make(chan struct{}, limits.Requests),
		unfinishedMost: unfinishedShare * limits.Requests, clientMost: clientUnfinishedShare * limits.Requests,
		memoryMost: memory, clientMemory: max(limits.Body, memory/clientMemoryShare),
		clients: map[string]*client{},
	}
}

// enter adds an unfinished request, or returns why it is refused.
func (l *lane) enter(of string) (refused string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.clients[of]
	switch {
	case c != nil && c.unfinished >= l.clientMost:
		return fmt.Sprintf("%d requests of this address are unfinished, as many as one address may have", c.unfinished)
	case l.unfinished >= l.unfinishedMost:
		return fmt.Sprintf("%d requests are unfinished, as many as the server allows", l.unfinished)
	case c == nil:
		c = &client{}
		l.clients[of] = c
	}
	l.unfinished++
	c.unfinished++
	return ""
}

// exit removes an unfinished request with the bytes of its body.
func (l *lane) exit(of string, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.clients[of]
	l.unfinished--
	l.memory -= bytes
	c.unfinished--
	c.memory -= bytes
	if c.unfinished == 0 {
		delete(l.clients, of)
	}
}

// keep reserves memory for bytes of a body. It returns false if there is none left.
func (l *lane) keep(of string, bytes int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.clients[of]
	if l.memory+bytes > l.memoryMost || c.memory+bytes > l.clientMemory {
		return false
	}
	l.memory += bytes
	c.memory += bytes
	return true
}
