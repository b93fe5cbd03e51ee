package auth

import (
	"strings"
	"sync"
	"time"

	"botwork/internal/httpserver"
	"botwork/workqueue/access"
)

// An address may fail addressFailures times at once, and then once each failureEvery.
const (
	addressFailures = 20
	failureEvery    = 15 * time.Second
)

// sourceFailures is how many failures of one source count for the user's account in a row. So one source alone
// never locks an account for the others.
const sourceFailures = 10

// sourceAge is when the failures of a source are forgotten.
const sourceAge = 24 * time.Hour

// maxFailures bounds the addresses, the sources and the names whose failures are kept.
const maxFailures = 50_000

// attempts counts failed attempts to sign in: by address, and by source and user. The
// database counts those for a user who exists; this does it for one who does not.
type attempts struct {
	mu        sync.Mutex
	addresses map[string]failures // by network
	sources   map[string]failures // by name and source
	unknown   map[string]failures // by name
}

func newAttempts() *attempts {
	return &attempts{addresses: map[string]failures{}, sources: map[string]failures{}, unknown: map[string]failures{}}
}

// failures counts failed attempts.
type failures struct {
	count float64
	at    time.Time // of the last one
	until time.Time // refused until then

	password string // the hash of the password that the attempts were for
}

// attempt is from where an attempt comes, and for whom it is.
type attempt struct {
	name     string // of the user
	source   string // an address or a known browser
	password string // the user's hash; "": none
}

// knownSource begins the source of a known browser; no address has it.
const knownSource = "browser "

func (a *attempt) known() bool { return strings.HasPrefix(a.source, knownSource) }

func (a *attempt) key() string { return strings.ToLower(a.name) + "\x00" + a.source }

// addressWait returns how long an address must wait before its next attempt.
func (a *attempts) addressWait(address string, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, ok := a.addresses[httpserver.Network(address)]
	if !ok {
		return 0
	}
	over := f.count - float64(now.Sub(f.at))/float64(failureEvery) + 1 - addressFailures
	if over <= 0 {
		return 0
	}
	return time.Duration(over * float64(failureEvery))
}

func (a *attempts) addressFailed(address string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addresses = bounded(a.addresses, now, addressFailures*failureEvery)
	f := a.addresses[httpserver.Network(address)]
	f.count = max(0, f.count-float64(now.Sub(f.at))/float64(failureEvery)) + 1
	f.at = now
	a.addresses[httpserver.Network(address)] = f
}

// sourceWait returns how long the attempts of a source for a user are refused.
func (a *attempts) sourceWait(of attempt, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(0, a.sourceLocked(of, now).until.Sub(now))
}

// sourceLocked returns the failures of a source for a user. A new password ends them.
func (a *attempts) sourceLocked(of attempt, now time.Time) failures {
	f := a.sources[of.key()]
	if f.password != of.password || now.Sub(f.at) > sourceAge {
		return failures{password: of.password}
	}
	return f
}

// sourceFailed counts a failure of a source for a user. It returns for how long the source is locked, and
// whether the failure counts for the user's account.
func (a *attempts) sourceFailed(of attempt, now time.Time) (locked time.Duration, counts bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sources = bounded(a.sources, now, sourceAge)
	f := a.sourceLocked(of, now)
	f.count, f.at = f.count+1, now
	locked = access.LockedFor(int(f.count))
	f.until = now.Add(locked)
	a.sources[of.key()] = f
	return locked, f.count <= sourceFailures
}

// succeeded forgets the failures of a source for a user.
func (a *attempts) succeeded(of attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sources, of.key())
}

// unknownWait returns how long attempts are refused for a user who does not exist, as if the user existed.
func (a *attempts) unknownWait(name string, now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(0, a.unknown[strings.ToLower(name)].until.Sub(now))
}

// unknownFailed counts a failure of a user that does not exist, and returns for how long it is
// locked, as if it existed.
func (a *attempts) unknownFailed(name string, now time.Time) time.Duration {
	name = strings.ToLower(name)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unknown = bounded(a.unknown, now, sourceAge)
	f := a.unknown[name]
	f.count, f.at = f.count+1, now
	locked := access.AccountLockedFor(int(f.count))
	f.until = now.Add(locked)
	a.unknown[name] = f
	return locked
}

// bounded removes the failures that are older than age if there are too many, and all of them if
// there are still too many.
func bounded(m map[string]failures, now time.Time, age time.Duration) map[string]failures {
	if len(m) < maxFailures {
		return m
	}
	for key, f := range m {
		if now.Sub(f.at) > age {
			delete(m, key)
		}
	}
	if len(m) >= maxFailures {
		clear(m)
	}
	return m
}
