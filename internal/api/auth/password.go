package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// The lengths of a password in characters. The least one is longer than the 8 that NIST SP 800-63B
// asks for, and there are no rules about kinds of characters, as it recommends.
const (
	MinPassword = 12
	MaxPassword = 128
)

// The parameters of argon2id: 19 MiB, 2 passes and 1 thread, the least that the OWASP Password
// Storage Cheat Sheet recommends for argon2id.
const (
	hashMemory  = 19 << 10 // KiB
	hashPasses  = 2
	hashThreads = 1
	saltBytes   = 16
	hashBytes   = 32
)

// Bounds of parameters in a stored hash, so that a damaged row does not take all memory.
const (
	maxHashMemory = 256 << 10
	maxHashPasses = 20
)

// noPassword is a hash that no password has. It is checked for a user that does not exist or has
// no password, so that the attempt takes as long as for other users.
var noPassword = phc(make([]byte, saltBytes), make([]byte, hashBytes))

// ErrBusy is returned while too many passwords wait to be checked.
var ErrBusy = errors.New("too many passwords are being checked")

// BadPasswordError is returned for a password that cannot be set.
type BadPasswordError struct{ Reason string }

func (e *BadPasswordError) Error() string { return "password: " + e.Reason }

// normal returns the form of a password that is hashed: some keyboards type ü as one character and
// others as two, which look the same. NIST SP 800-63B recommends NFKC.
func normal(password string) string { return norm.NFKC.String(password) }

// CheckPassword checks a new password of a user.
func CheckPassword(user, password string) error {
	password = normal(password)
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return &BadPasswordError{"got bytes that are not UTF-8"}
	case n < MinPassword:
		return &BadPasswordError{fmt.Sprintf("got %d characters, want at least %d", n, MinPassword)}
	case n > MaxPassword:
		return &BadPasswordError{fmt.Sprintf("got %d characters, want at most %d", n, MaxPassword)}
	case strings.EqualFold(strings.TrimSpace(password), user):
		return &BadPasswordError{"got the name of the user, want a text that is hard to guess"}
	}
	return nil
}

// HashPassword checks a new password of a user and returns its argon2id hash in PHC form.
func HashPassword(user, password string) (string, error) {
	if err := CheckPassword(user, password); err != nil {
		return "", err
	}
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	return phc(salt, argon2.IDKey([]byte(normal(password)), salt, hashPasses, hashMemory, hashThreads, hashBytes)), nil
}

// phc writes a hash as the PHC string format describes it.
func phc(salt, hash []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashThreads, b64.EncodeToString(salt), b64.EncodeToString(hash))
}

// verify reports whether a password has this hash, in constant time.
func verify(password, stored string) (bool, error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return false, errors.New("the stored password hash is not argon2id in PHC form")
	}
	var memory, passes uint32
	var threads uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &threads); err != nil ||
		memory < 8 || memory > maxHashMemory || passes < 1 || passes > maxHashPasses || threads < 1 || threads > 16 {
		return false, fmt.Errorf("the stored password hash has the parameters %.40q", parts[3])
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	want, hashErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || hashErr != nil || len(salt) < 8 || len(want) < 16 || len(want) > 64 {
		return false, errors.New("the stored password hash is damaged")
	}
	got := argon2.IDKey([]byte(normal(password)), salt, passes, memory, threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

// Passwords bounds the passwords that are checked at the same time: each takes 19 MiB.
type Passwords struct {
	slots  chan struct{}
	queue  chan struct{}
	checks atomic.Int64
}

// NewPasswords returns a bound of this many checks at the same time, and of 16 times as many
// that wait.
func NewPasswords(atOnce int) *Passwords {
	return &Passwords{slots: make(chan struct{}, atOnce), queue: make(chan struct{}, 17*atOnce)}
}

// Checks returns how many passwords were checked, for tests: counts are exact, times are not.
func (p *Passwords) Checks() int64 { return p.checks.Load() }

// begin waits until a password may be checked, and returns ErrBusy if too many wait already. The
// caller calls end.
func (p *Passwords) begin(ctx context.Context) (end func(), err error) {
	select {
	case p.queue <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots; <-p.queue }, nil
	case <-ctx.Done():
		<-p.queue
		return nil, ctx.Err()
	}
}

// check is verify. The caller is between begin and end.
func (p *Passwords) check(password, stored string) (bool, error) {
	p.checks.Add(1)
	return verify(password, stored)
}
