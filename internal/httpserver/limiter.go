package httpserver

import (
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"
)

// limiter bounds the requests that are processed at the same time, and those of a caller a
// second.
type limiter struct {
	next     http.Handler
	requests chan struct{}
	callers  *rates
	clients  *rates // by address, so that invented credentials do not help
}

// clientShare is how many callers' worth of requests one address may make.
const clientShare = 10

func newLimiter(limits Limits, next http.Handler) *limiter {
	return &limiter{
		next: next, requests: make(chan struct{}, limits.Requests),
		callers: newRates(limits.PerSecond), clients: newRates(clientShare * limits.PerSecond),
	}
}

func (l *limiter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now, address := time.Now(), ClientAddress(r.Context())
	wait := l.clients.take(address, now)
	if wait == 0 {
		// A caller cannot use up the rate of another one from another address.
		wait = l.callers.take(address+" "+r.Header.Get("Authorization")+" "+r.Header.Get("Cookie"), now)
	}
	if wait > 0 {
		tooMany(w, r, "too-many-requests", "too many requests of this caller", wait)
		return
	}
	select {
	case l.requests <- struct{}{}:
	default:
		tooMany(w, r, "busy", "the server is processing as many requests as it may", time.Second)
		return
	}
	release := sync.OnceFunc(func() { <-l.requests })
	defer release()
	requestFrom(r.Context()).release = release
	l.next.ServeHTTP(w, r)
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
