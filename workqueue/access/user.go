package access

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// RefusedWindow is the time for which the audit log has one entry for the failed attempts of one
// address to sign in as one user.
const RefusedWindow = 10 * time.Minute

// MaxSubject is the longest subject of a user, in characters.
const MaxSubject = 450

// User is a person who signs in to the pages: a row of BotUsers.
type User struct {
	ID     int64    `json:"id"`
	Name   string   `json:"name"` // unique in any case
	Role   Role     `json:"role"`
	Queues []string `json:"queues"` // that the user is bound to; none: all

	// PasswordHash is argon2id in PHC form, "" for a user that signs in in another way, such
	// as OpenID Connect.
	PasswordHash string `json:"-"`

	HasPassword bool `json:"hasPassword"` // the user can sign in with a password

	// Subject is the user's issuer and subject at an OpenID provider, "" for a local user.
	Subject string `json:"subject,omitempty"`

	CreatedAt  time.Time  `json:"createdAt"`
	CreatedBy  string     `json:"createdBy"`
	SignedInAt *time.Time `json:"signedInAt"`
	DisabledAt *time.Time `json:"disabledAt"`

	// Failures counts the failed attempts to sign in since the last success, and LockedUntil
	// is until when further attempts are refused: those of browsers in which the user has not
	// signed in before.
	Failures    int        `json:"failures"`
	LockedUntil *time.Time `json:"lockedUntil"`
}

// UserParams describe a user to be created or replaced.
type UserParams struct {
	Name         string
	Role         Role
	Queues       []string
	PasswordHash string // "" keeps that of an existing user
	Subject      string // likewise
	By           string
}

// Normal checks the parameters and returns them with the queues in order. It returns all
// faults at once.
func (p UserParams) Normal() (UserParams, error) {
	errs := []error{checkName("user", p.Name)}
	role, err := ParseRole(string(p.Role))
	if err != nil {
		errs = append(errs, err)
	} else if role == Robot {
		errs = append(errs, errors.New("role: got robot, want a role for people; hint: robots use tokens"))
	}
	p.Role = role
	if n := utf8.RuneCountInString(p.Subject); n > MaxSubject {
		errs = append(errs, fmt.Errorf("subject: got %d characters, want at most %d", n, MaxSubject))
	}
	p.Queues = slices.Clone(p.Queues)
	slices.Sort(p.Queues)
	p.Queues = slices.Compact(p.Queues)
	if slices.Contains(p.Queues, "") {
		errs = append(errs, errors.New(`queues: got "", want names of queues`))
	}
	return p, errors.Join(errs...)
}

// PasswordChange is a change of a password by its user.
type PasswordChange struct {
	UserID  int64
	Present string // the hash of the password that the user has entered
	Hash    string // of the new password
}

// SourceFailures is from how many failures in a row on attempts of one source to sign in as one user are
// refused for a time. A source is an address, or a browser in which the user has signed in before.
const SourceFailures = 5

// AccountFailures is likewise for the attempts of all sources. It is higher, so that one source cannot lock
// others out, and a bound all the same for an attacker who has many addresses.
const AccountFailures = 100

// LockedFor returns how long attempts of one source are refused after this many failures in a row: not at all
// before the fifth, then 1s, 2s, 4s and so on up to 15 minutes.
func LockedFor(failures int) time.Duration { return lockedFor(failures, SourceFailures) }

// AccountLockedFor is LockedFor for the attempts of all sources together.
func AccountLockedFor(failures int) time.Duration { return lockedFor(failures, AccountFailures) }

func lockedFor(failures, first int) time.Duration {
	const longest = 15 * time.Minute
	if failures < first {
		return 0
	}
	return min(longest, time.Second<<min(failures-first, 20))
}

// Session is a user's session: a row of BotSessions.
type Session struct {
	ID         int64     `json:"id"`
	User       User      `json:"-"`
	CreatedAt  time.Time `json:"createdAt"`
	SeenAt     time.Time `json:"seenAt"`    // correct to about five minutes
	IdleUntil  time.Time `json:"idleUntil"` // ends earlier if it is not used until then
	ExpiresAt  time.Time `json:"expiresAt"` // ends then in any case
	Address    string    `json:"address"`
	UserAgent  string    `json:"userAgent"`
	SignedInBy string    `json:"signedInBy"` // password, link or oidc
}

// Principal returns who uses the session.
func (s *Session) Principal() Principal {
	return Principal{Name: s.User.Name, Kind: BySession, SessionID: s.ID, Role: s.User.Role, Queues: s.User.Queues}
}

// NewSessionParams describe a session to be created.
type NewSessionParams struct {
	UserID int64

	// PasswordHash is that with which the user has signed in: no session starts if the password
	// was changed meanwhile. "" if the user has signed in in another way.
	PasswordHash string

	Hash               string
	Idle, Longest      time.Duration // how long it lives unused, and at most
	Address, UserAgent string
	SignedInBy         string
}
