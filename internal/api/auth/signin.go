package auth

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"botwork/internal/httpserver"
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

// SignIns starts sessions. It is safe for concurrent use. docs/access.md#failed-attempts has its rules.
type SignIns struct {
	store     access.UserStore
	passwords *Passwords
	known     *Passwords    // of browsers that are known, so that they do not wait behind an attack
	least     time.Duration // of a failed attempt
	attempts  *attempts
}

// NewSignIns returns what starts sessions in a store.
func NewSignIns(store access.UserStore) *SignIns {
	return &SignIns{
		store: store, passwords: NewPasswords(max(2, min(4, runtime.GOMAXPROCS(0)))), known: NewPasswords(1), least: failureTime, attempts: newAttempts(),
	}
}

// Passwords returns the bound of the passwords that are checked.
func (s *SignIns) Passwords() *Passwords { return s.passwords }

// Password starts a session of the user with this name and password. It returns the text of the
// session's cookie, which is stored nowhere. The errors are *SignInError, *TooManyFailuresError
// and ErrBusy.
func (s *SignIns) Password(ctx context.Context, name, password string, from Browser) (access.Session, string, error) {
	u, err := s.Check(ctx, name, password, from)
	if err != nil {
		return access.Session{}, "", err
	}
	return s.start(ctx, &u, u.PasswordHash, ByPassword, from)
}

// Check returns the user with this name and password. A wrong password is a failed attempt to sign in. The
// errors are those of Password.
func (s *SignIns) Check(ctx context.Context, name, password string, from Browser) (access.User, error) {
	started := time.Now()
	known, err := s.knows(ctx, name, from)
	if err != nil {
		return access.User{}, err
	}
	if !known {
		if wait := s.attempts.addressWait(from.Address, started); wait > 0 {
			return access.User{}, &TooManyFailuresError{wait}
		}
	}
	u, err := s.check(ctx, name, password, from, known)
	if _, failed := errors.AsType[*SignInError](err); failed {
		if !known {
			s.attempts.addressFailed(from.Address, time.Now())
		}
		resume := httpserver.Pauses(ctx)
		pause(ctx, s.least-time.Since(started))
		resume()
	}
	return u, err
}

// knows reports whether the user has signed in with this browser before.
func (s *SignIns) knows(ctx context.Context, name string, from Browser) (bool, error) {
	if from.Proof == "" {
		return false, nil
	}
	u, now, err := s.store.User(ctx, name)
	if errors.Is(err, workqueue.ErrNotFound) {
		return false, nil
	}
	return err == nil && knownBrowser(&u, from.Proof, now) != "", err
}

// check reads the user after it may check a password, so that attempts at the same time
// see the failures of each other.
func (s *SignIns) check(ctx context.Context, name, password string, from Browser, known bool) (access.User, error) {
	checks := s.passwords
	if known {
		checks = s.known
	}
	end, err := checks.begin(ctx)
	if err != nil {
		return access.User{}, err
	}
	defer end()
	u, now, err := s.store.User(ctx, name)
	if errors.Is(err, workqueue.ErrNotFound) {
		_, _ = checks.check(password, noPassword)
		return access.User{}, s.failUnknown(attempt{name: name, source: httpserver.Network(from.Address)}, time.Now())
	}
	if err != nil {
		return access.User{}, err
	}
	hash := u.PasswordHash
	if hash == "" {
		hash = noPassword
	}
	right, err := checks.check(password, hash)
	if err != nil {
		return access.User{}, fmt.Errorf("user %q: %w", u.Name, err)
	}
	of := attempt{name: u.Name, source: httpserver.Network(from.Address), password: u.PasswordHash}
	wait := time.Duration(0)
	if browser := knownBrowser(&u, from.Proof, now); browser != "" {
		of.source = knownSource + browser
	} else if u.LockedUntil != nil {
		wait = u.LockedUntil.Sub(now)
	}
	if wait = max(wait, s.attempts.sourceWait(of, time.Now())); wait > 0 {
		if err := s.refused(ctx, u.ID); err != nil {
			return access.User{}, err
		}
		return access.User{}, &SignInError{wait}
	}
	if !right || u.PasswordHash == "" || u.DisabledAt != nil {
		return access.User{}, s.fail(ctx, &u, of)
	}
	s.attempts.succeeded(of)
	return u, nil
}

// fail counts a failure of a user, and returns the error of the attempt.
func (s *SignIns) fail(ctx context.Context, u *access.User, of attempt) error {
	locked, counts := s.attempts.sourceFailed(of, time.Now())
	if !counts {
		if err := s.refused(ctx, u.ID); err != nil {
			return err
		}
		return &SignInError{locked}
	}
	if err := s.store.SignInFailed(ctx, u.ID); err != nil && !errors.Is(err, workqueue.ErrNotFound) {
		return err
	}
	if of.known() {
		return &SignInError{locked}
	}
	return &SignInError{max(locked, access.AccountLockedFor(u.Failures+1))}
}

// failUnknown is fail for a user who does not exist.
func (s *SignIns) failUnknown(of attempt, now time.Time) error {
	if wait := max(s.attempts.sourceWait(of, now), s.attempts.unknownWait(of.name, now)); wait > 0 {
		return &SignInError{wait}
	}
	locked, counts := s.attempts.sourceFailed(of, now)
	if counts {
		locked = max(locked, s.attempts.unknownFailed(of.name, now))
	}
	return &SignInError{locked}
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
	if wait := s.attempts.addressWait(from.Address, time.Now()); wait > 0 {
		return access.Session{}, "", &TooManyFailuresError{wait}
	}
	u, err := s.store.UseLink(ctx, access.Hash(link))
	if errors.Is(err, access.ErrLinkUsed) {
		s.attempts.addressFailed(from.Address, time.Now())
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
