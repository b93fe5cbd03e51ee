package httpserver

import (
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// limiter bounds the requests of each lane, and those of a caller a second.
type limiter struct {
	next     http.Handler
	laneOf   func(*http.Request) Lane
	lanes    map[Lane]*lane
	callers  *rates
	networks *rates // so that invented credentials do not help
	beats    *rates // likewise, of heartbeats
}

// clientShare is how many callers' worth of requests one network may make.
const clientShare = 10

func newLimiter(limits Limits, next http.Handler) *limiter {
	l := &limiter{
		next: next, laneOf: func(*http.Request) Lane { return General },
		lanes:   map[Lane]*lane{General: newLane(limits, generalMemory), Public: newLane(limits, 1), Heartbeat: newLane(limits, 1)},
		callers: newRates(limits.PerSecond), networks: newRates(clientShare * limits.PerSecond), beats: newRates(clientShare * limits.PerSecond),
	}
	if laned, ok := next.(Laned); ok {
		l.laneOf = laned.Lane
	}
	return l
}

func (l *limiter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	of := l.laneOf(r)
	if of != General {
		requestFrom(r.Context()).hurry()
	}
	if of == Health {
		l.next.ServeHTTP(w, r)
		return
	}
	network := Network(ClientAddress(r.Context()))
	if wait := l.wait(of, network, r); wait > 0 {
		tooMany(w, r, "too-many-requests", "too many requests of this caller", wait)
		return
	}
	p := &place{lane: l.lanes[of], of: network}
	if refused := p.lane.enter(network); refused != "" {
		tooMany(w, r, "busy", refused, time.Second)
		return
	}
	defer p.leave()
	if !p.begin() {
		tooMany(w, r, "busy", fmt.Sprintf("the server is processing %d requests, as many as it may", cap(p.lane.processed)), time.Second)
		return
	}
	requestFrom(r.Context()).place = p
	l.next.ServeHTTP(w, r)
}

// wait takes a request out of the rates, or returns how long the caller should wait.
func (l *limiter) wait(of Lane, network string, r *http.Request) time.Duration {
	now := time.Now()
	if of == Heartbeat {
		return l.beats.take(network, now)
	}
	if wait := l.networks.take(network, now); wait > 0 {
		return wait
	}
	// A caller cannot use up the rate of another one from another address.
	return l.callers.take(network+" "+r.Header.Get("Authorization")+" "+r.Header.Get("Cookie"), now)
}

// Network returns the network that one client usually has: an address of IPv4, a /64 of IPv6.
func Network(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil || addr.Is4() || addr.Is4In6() {
		return address
	}
	prefix, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}

func tooMany(w http.ResponseWriter, r *http.Request, code, detail string, wait time.Duration) {
	w.Header().Set("Retry-After", fmt.Sprint(int(math.Ceil(wait.Seconds()))))
	refusal(http.StatusTooManyRequests, code, detail, "try again after the time of the header Retry-After").ServeHTTP(w, r)
}

// rates are token buckets by caller: each holds one second of requests, at least 20.
type rates struct {
	perSecond, burst float64

	mu      sync.Mutex
	buckets map[string]*bucket
	swept   time.Time
}

type bucket struct {
	left float64
	at   time.Time
}

// maxBuckets bounds the memory that callers with invented credentials can take.
const maxBuckets = 100_000

func newRates(perSecond int) *rates {
	return &rates{perSecond: float64(perSecond), burst: math.Max(20, float64(perSecond)), buckets: map[string]*bucket{}}
}

// take takes one request out of the caller's bucket, or returns how long the caller should wait.
func (r *rates) take(caller string, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.swept) > time.Minute || len(r.buckets) > maxBuckets {
		r.sweepLocked(now)
	}
	b := r.buckets[caller]
	if b == nil {
		b = &bucket{left: r.burst}
		r.buckets[caller] = b
	} else {
		b.left = math.Min(r.burst, b.left+now.Sub(b.at).Seconds()*r.perSecond)
	}
	b.at = now
	if b.left < 1 {
		return time.Duration((1 - b.left) / r.perSecond * float64(time.Second))
	}
	b.left--
	return 0
}

// sweepLocked forgets the callers whose buckets are full again, and all of them if there are
// still too many.
func (r *rates) sweepLocked(now time.Time) {
	r.swept = now
	for caller, b := range r.buckets {
		if b.left+now.Sub(b.at).Seconds()*r.perSecond >= r.burst {
			delete(r.buckets, caller)
		}
	}
	if len(r.buckets) > maxBuckets {
		clear(r.buckets)
	}
}
