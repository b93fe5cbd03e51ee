package auth

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// How a session was started: the values of access.Session.SignedInBy.
const (
	ByPassword = "password"
	ByLink     = "link"
	ByOIDC     = "oidc"
)

// LinkValid is how long a sign-in link is valid.
const LinkValid = 10 * time.Minute

// failureTime is the least time of a failed attempt. A failure of a known user is written to the
// database, that of an unknown one is not; the answers take equally long.
const failureTime = 250 * time.Millisecond

// An address may fail addressFailures times at once, and then once each failureEvery.
const (
	addressFailures = 20
	failureEvery    = 15 * time.Second
)

// SignInError is returned for a failed attempt to sign in. It is the same for a wrong password, an
// unknown, a disabled and a locked user.
type SignInError struct {
	// RetryAfter is how long further attempts fail in any case; 0: not at all.
	RetryAfter time.Duration
}

func (e *SignInError) Error() string {
	return "the name or the password is wrong, or the user may not sign in"
}

// TooManyFailuresError is returned if too many attempts of an address have failed.
type TooManyFailuresError struct{ RetryAfter time.Duration }

func (e *TooManyFailuresError) Error() string {
	return "too many attempts to sign in from this address have failed"
}

// SignIns starts sessions. It is safe for concurrent use.
type SignIns struct {
	store     access.UserStore
	passwords *Passwords
	least     time.Duration // of a failed attempt

	mu        sync.Mutex
	addresses map[string]failures
	unknown   map[string]failures // by name, of users that do not exist
}

// failures counts failed attempts.
type failures struct {
	count float64
	at    time.Time // of the last one
	until time.Time // refused until then
}

// maxFailures bounds the addresses and the names whose failures are kept.
const maxFailures = 50_000

// NewSignIns returns what starts sessions in a store.
func NewSignIns(store access.UserStore) *SignIns {
	return &SignIns{
		store: store, passwords: NewPasswords(max(2, min(4, runtime.GOMAXPROCS(0)))), least: failureTime,
		addresses: map[string]failures{}, unknown: map[string]failures{},
	}
}

// Passwords returns the bound of the passwords that are checked.
func (s *SignIns) Passwords() *Passwords { return s.passwords }

// Browser is who signs in, for the list of sessions and the limits.
type Browser struct{ Address, UserAgent string }

// Password starts a session of the user with this name and password. It returns the text of the
// session's cookie, which is stored nowhere. The errors are *SignInError, *TooManyFailuresError
// and ErrBusy.
func (s *SignIns) Password(ctx context.Context, name, password string, from Browser) (access.Session, string, error) {
	started := time.Now()
	if wait := s.addressWait(from.Address, started); wait > 0 {
		return access.Session{}, "", &TooManyFailuresError{wait}
	}
	session, text, err := s.tryPassword(ctx, name, password, from)
	if _, failed := errors.AsType[*SignInError](err); failed {
		s.addressFailed(from.Address, time.Now())
		pause(ctx, s.least-time.Since(started))
	}
	return session, text, err
}

// tryPassword reads the user after it may check a password, so that attempts at the same time
// see the failures of each other.
func (s *SignIns) tryPassword(ctx context.Context, name, password string, from Browser) (access.Session, string, error) {
	end, err := s.passwords.begin(ctx)
	if err != nil {
		return access.Session{}, "", err
	}
	defer end()
	u, now, err := s.store.User(ctx, name)
	if errors.Is(err, workqueue.ErrNotFound) {
		_, _ = s.passwords.check(password, noPassword)
		return access.Session{}, "", &SignInError{s.unknownFailed(name, time.Now())}
	}
	if err != nil {
		return access.Session{}, "", err
	}
	hash := u.PasswordHash
	if hash == "" {
		hash = noPassword
	}
	right, err := s.passwords.check(password, hash)
	if err != nil {
		return access.Session{}, "", fmt.Errorf("user %q: %w", u.Name, err)
	}
	if u.LockedUntil != nil && now.Before(*u.LockedUntil) {
		if err := s.refused(ctx, u.ID); err != nil {
			return access.Session{}, "", err
		}
		return access.Session{}, "", &SignInError{u.LockedUntil.Sub(now)}
	}
	if !right || u.PasswordHash == "" || u.DisabledAt != nil {
		if err := s.store.SignInFailed(ctx, u.ID); err != nil && !errors.Is(err, workqueue.ErrNotFound) {
			return access.Session{}, "", err
		}
		return access.Session{}, "", &SignInError{access.LockedFor(u.Failures + 1)}
	}
	return s.start(ctx, &u, u.PasswordHash, ByPassword, from)
}

// refused records an attempt that is refused whatever it is. A user who was removed meanwhile has no
// entry.
func (s *SignIns) refused(ctx context.Context, userID int64) error {
	if err := s.store.SignInRefused(ctx, userID); err != nil && !errors.Is(err, workqueue.ErrNotFound) {
		return err
	}
	return nil
}

// Link starts a session of the user of a sign-in link, which ends. The error is
// access.ErrLinkUsed or *TooManyFailuresError.
func (s *SignIns) Link(ctx context.Context, link string, from Browser) (access.Session, string, error) {
	if wait := s.addressWait(from.Address, time.Now()); wait > 0 {
		return access.Session{}, "", &TooManyFailuresError{wait}
	}
	u, err := s.store.UseLink(ctx, access.Hash(link))
	if errors.Is(err, access.ErrLinkUsed) {
		s.addressFailed(from.Address, time.Now())
	}
	if err != nil {
		return access.Session{}, "", err
	}
	session, text, err := s.start(ctx, &u, "", ByLink, from)
	if _, disabled := errors.AsType[*SignInError](err); disabled {
		err = access.ErrLinkUsed
	}
	return session, text, err
}

// start starts a session. Each one has a new secret, so a text that another person put into the
// browser before is worth nothing.
func (s *SignIns) start(ctx context.Context, u *access.User, passwordHash, by string, from Browser) (access.Session, string, error) {
	text := access.NewSecret()
	session, err := s.store.CreateSession(ctx, access.NewSessionParams{
		UserID: u.ID, PasswordHash: passwordHash, Hash: access.Hash(text), Idle: SessionIdle, Longest: longestSession(by),
		Address: from.Address, UserAgent: from.UserAgent, SignedInBy: by,
	})
	if errors.Is(err, workqueue.ErrNotFound) { // disabled, or another password meanwhile
		return access.Session{}, "", &SignInError{}
	}
	if err != nil {
		return access.Session{}, "", err
	}
	return session, text, nil
}

// NewLink creates a sign-in link of a user and returns its text, which is stored nowhere.
func NewLink(ctx context.Context, store access.UserStore, userID int64) (text string, err error) {
	text = access.NewSecret()
	return text, store.CreateLink(ctx, userID, access.Hash(text), LinkValid)
}

// LinkPath is the path of sign-in links; the text of the link is the parameter token.
const LinkPath = "/auth/link"

// LinkURL returns the address of a sign-in link of a server.
func LinkURL(server, text string) string {
	return strings.TrimSuffix(server, "/") + LinkPath + "?token=" + text
}

// addressWait returns how long an address must wait before its next attempt.
func (s *SignIns) addressWait(address string, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.addresses[network(address)]
	if !ok {
		return 0
	}
	over := f.count - float64(now.Sub(f.at))/float64(failureEvery) + 1 - addressFailures
	if over <= 0 {
		return 0
	}
	return time.Duration(over * float64(failureEvery))
}

func (s *SignIns) addressFailed(address string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addresses = bounded(s.addresses, now, addressFailures*failureEvery)
	f := s.addresses[network(address)]
	f.count = max(0, f.count-float64(now.Sub(f.at))/float64(failureEvery)) + 1
	f.at = now
	s.addresses[network(address)] = f
}

// unknownFailed counts a failure of a user that does not exist, and returns for how long it is
// locked, as if it existed.
func (s *SignIns) unknownFailed(name string, now time.Time) time.Duration {
	name = strings.ToLower(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.unknown[name]
	if now.Before(f.until) {
		return f.until.Sub(now)
	}
	s.unknown = bounded(s.unknown, now, 24*time.Hour)
	f.count, f.at = f.count+1, now
	locked := access.LockedFor(int(f.count))
	f.until = now.Add(locked)
	s.unknown[name] = f
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

// network returns the network that one client usually has: an address of IPv4, a /64 of IPv6.
func network(address string) string {
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

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// byOIDC is who creates and changes users that an OpenID provider describes, for the audit log.
const byOIDC = "OpenID Connect"

// Identity starts a session of the user that an OpenID provider describes. It creates the user at
// the first sign-in and sets the role at each one. The errors are ErrNoRole and ErrOIDCDisabled.
func (s *SignIns) Identity(ctx context.Context, id Identity, from Browser) (access.Session, string, error) {
	u, err := s.store.UserBySubject(ctx, id.Subject)
	known := err == nil
	if err != nil && !errors.Is(err, workqueue.ErrNotFound) {
		return access.Session{}, "", err
	}
	switch {
	case id.Role == "":
		if !known {
			return access.Session{}, "", ErrNoRole
		}
		_, err = s.store.EndSessions(ctx, u.ID)
		return access.Session{}, "", errors.Join(ErrNoRole, err, s.refused(ctx, u.ID))
	case !known:
		u, err = s.addIdentity(ctx, id)
	case u.Role != id.Role:
		u, err = s.store.ChangeUser(ctx, access.UserParams{Name: u.Name, Role: id.Role, Queues: u.Queues, By: byOIDC})
	}
	if err != nil {
		return access.Session{}, "", err
	}
	session, text, err := s.start(ctx, &u, "", ByOIDC, from)
	if _, refused := errors.AsType[*SignInError](err); refused {
		err = errors.Join(ErrOIDCDisabled, s.refused(ctx, u.ID))
	}
	return session, text, err
}

// addIdentity creates a user under the first name that is free. A user who exists is never taken
// over by name: names at the provider are often chosen by their owners.
func (s *SignIns) addIdentity(ctx context.Context, id Identity) (access.User, error) {
	for _, name := range id.Names {
		u, err := s.store.CreateUser(ctx, access.UserParams{Name: name, Role: id.Role, Subject: id.Subject, By: byOIDC})
		if errors.Is(err, access.ErrSubjectTaken) { // by a sign-in at the same time
			return s.store.UserBySubject(ctx, id.Subject)
		}
		if !errors.Is(err, access.ErrNameTaken) {
			return u, err
		}
		if u, err := s.store.UserBySubject(ctx, id.Subject); err == nil {
			return u, nil
		}
	}
	return access.User{}, access.ErrNameTaken
}
