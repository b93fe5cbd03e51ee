package auth

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue/access"
)

// lockouts has a user ada with a password, and sign-ins over her store.
type lockouts struct {
	*testing.T
	*SignIns
	ada access.User
}

const (
	right = "correct horse battery"
	home  = "10.0.0.1"
)

func newLockouts(t *testing.T) *lockouts {
	t.Helper()
	store := open(t)
	ada, err := CreateUser(t.Context(), store, access.UserParams{Name: "ada", Role: access.Viewer}, right)
	if err != nil {
		t.Fatal(err)
	}
	x := &lockouts{t, NewSignIns(store), ada}
	x.least = 0
	return x
}

// try returns how an attempt ends: "ok", "wrong", "locked", or "address".
func (x *lockouts) try(name, password string, from Browser) string {
	x.Helper()
	_, err := x.Check(x.Context(), name, password, from)
	if failed, ok := errors.AsType[*SignInError](err); ok {
		if failed.RetryAfter > 0 {
			return "locked"
		}
		return "wrong"
	}
	if _, ok := errors.AsType[*TooManyFailuresError](err); ok {
		return "address"
	}
	if err != nil {
		x.Fatal(err)
	}
	return "ok"
}

func (x *lockouts) want(what, got, want string) {
	x.Helper()
	if got != want {
		x.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// lock locks ada's attempts from an address, for longer than the test takes.
func (x *lockouts) lock(of attempt) {
	for range access.SourceFailures + 10 {
		x.attempts.sourceFailed(of, time.Now())
	}
}

func (x *lockouts) from(address string) attempt {
	return attempt{name: "ada", source: address, password: x.ada.PasswordHash}
}

// The failures of an address lock its attempts for the user, and no other's.
func TestAnAddressLocksOnlyItself(t *testing.T) {
	x := newLockouts(t)
	for range access.SourceFailures {
		x.try("ada", "wrong", Browser{Address: "192.0.2.6"})
	}
	x.lock(x.from("192.0.2.6"))
	x.want("the right password from the address that has failed", x.try("ada", right, Browser{Address: "192.0.2.6"}), "locked")
	x.want("another address", x.try("ada", right, Browser{Address: home}), "ok")
}

// An address adds only a few failures to the count of the account, so an attacker needs many addresses to lock the account.
// Then a browser in which the user has signed in before can still sign in.
func TestManyAddressesLockOutOnlyStrangers(t *testing.T) {
	x := newLockouts(t)
	failures := func() int {
		u, _, err := x.store.User(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		return u.Failures
	}
	for range 3 * sourceFailures {
		if err := x.fail(t.Context(), &x.ada, x.from("192.0.2.6")); err == nil {
			t.Fatal("no error")
		}
	}
	if got := failures(); got != sourceFailures {
		t.Errorf("one address added %d failures, want %d", got, sourceFailures)
	}
	for i := range access.AccountFailures/sourceFailures + 1 { // a botnet
		for range sourceFailures {
			_ = x.fail(t.Context(), &x.ada, x.from(fmt.Sprint("198.51.100.", i)))
		}
	}
	if got := failures(); got < access.AccountFailures {
		t.Fatalf("%d failures", got)
	}
	x.want("a stranger with the right password", x.try("ada", right, Browser{Address: home}), "locked")
	known := Browser{Address: home, Proof: ProveBrowser(&x.ada, time.Now())}
	x.want("the known browser with a wrong password", x.try("ada", "wrong", known), "wrong")
	x.want("the known browser", x.try("ada", right, known), "ok")
}

// A known browser has a bound of its own, so its cookie does not allow more guesses.
func TestKnownBrowserIsBounded(t *testing.T) {
	x := newLockouts(t)
	known := Browser{Address: home, Proof: ProveBrowser(&x.ada, time.Now())}
	for range access.SourceFailures - 1 {
		x.want("a wrong password", x.try("ada", "wrong", known), "wrong")
	}
	x.want("one more", x.try("ada", "wrong", known), "locked")
	x.lock(attempt{name: "ada", source: knownSource + knownBrowser(&x.ada, known.Proof, time.Now()), password: x.ada.PasswordHash})
	x.want("the right password then", x.try("ada", right, known), "locked")
	x.want("another browser at the same address", x.try("ada", right, Browser{Address: home}), "ok")
}

// Many names from one address are bounded, and a known browser behind the same address can sign in.
func TestManyNamesOfAnAddress(t *testing.T) {
	x := newLockouts(t)
	for i := range addressFailures {
		x.want("an unknown user", x.try(fmt.Sprint("user", i), "wrong", Browser{Address: home}), "wrong")
	}
	x.want("the next one", x.try("another", "wrong", Browser{Address: home}), "address")
	x.want("the right password", x.try("ada", right, Browser{Address: home}), "address")
	proof := ProveBrowser(&x.ada, time.Now())
	x.want("the known browser", x.try("ada", right, Browser{Address: home, Proof: proof}), "ok")
	x.want("the known browser as another user", x.try("bob", right, Browser{Address: home, Proof: proof}), "address")
}

// While attempts of strangers fill the checks of passwords, a known browser's is checked.
func TestKnownBrowserDoesNotWait(t *testing.T) {
	x := newLockouts(t)
	for range cap(x.passwords.queue) {
		x.passwords.queue <- struct{}{}
	}
	if _, err := x.Check(t.Context(), "ada", right, Browser{Address: home}); !errors.Is(err, ErrBusy) {
		t.Fatalf("a stranger got %v, want ErrBusy", err)
	}
	x.want("the known browser", x.try("ada", right, Browser{Address: home, Proof: ProveBrowser(&x.ada, time.Now())}), "ok")
}

// A new password frees the addresses that were locked, and makes browsers strangers.
func TestNewPasswordEndsLocks(t *testing.T) {
	x := newLockouts(t)
	proof := ProveBrowser(&x.ada, time.Now())
	x.lock(x.from(home))
	x.want("before", x.try("ada", right, Browser{Address: home}), "locked")
	const fresh = "another horse battery"
	u, err := SetUser(t.Context(), x.store, "ada", UserChange{Password: new(fresh)}, "admin")
	if err != nil {
		t.Fatal(err)
	}
	x.want("after", x.try("ada", fresh, Browser{Address: home}), "ok")
	if knownBrowser(&u, proof, time.Now()) != "" {
		t.Error("the proof of before is still valid")
	}
}

func TestProveBrowser(t *testing.T) {
	now := time.Now()
	ada := access.User{ID: 7, PasswordHash: "$argon2id$a"}
	proof := ProveBrowser(&ada, now)
	if knownBrowser(&ada, proof, now.Add(KnownFor-time.Minute)) == "" {
		t.Errorf("the proof %s is not valid", proof)
	}
	for what, got := range map[string]string{
		"a proof that is too old":   knownBrowser(&ada, proof, now.Add(KnownFor+time.Minute)),
		"another user":              knownBrowser(&access.User{ID: 8, PasswordHash: ada.PasswordHash}, proof, now),
		"another password":          knownBrowser(&access.User{ID: 7, PasswordHash: "$argon2id$b"}, proof, now),
		"a user without a password": knownBrowser(&access.User{ID: 7}, proof, now),
		"a changed time":            knownBrowser(&ada, "7.9"+proof[3:], now),
		"a text":                    knownBrowser(&ada, "x", now),
		"dots":                      knownBrowser(&ada, "...", now),
	} {
		if got != "" {
			t.Errorf("%s is known as %s", what, got)
		}
	}
	if got := ProveBrowser(&access.User{ID: 7}, now); got != "" {
		t.Errorf("a user without a password got the proof %s", got)
	}
}

// The failures of a source are forgotten after a day, and grow to a lock of 15 minutes.
func TestFailuresOfASource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttempts()
		of := attempt{name: "Ada", source: home}
		for i := range 40 {
			locked, counts := a.sourceFailed(of, time.Now())
			if want := access.LockedFor(i + 1); locked != want || counts != (i < sourceFailures) {
				t.Errorf("failure %d: locked for %v, counts %t; want %v", i+1, locked, counts, want)
			}
		}
		if got := a.sourceWait(attempt{name: "ADA", source: home}, time.Now()); got != 15*time.Minute {
			t.Errorf("got the wait %v", got)
		}
		if got := a.sourceWait(attempt{name: "ada", source: "10.0.0.2"}, time.Now()); got != 0 {
			t.Errorf("another source: got the wait %v", got)
		}
		time.Sleep(sourceAge + time.Second)
		if locked, counts := a.sourceFailed(of, time.Now()); locked != 0 || !counts {
			t.Errorf("a day later: locked for %v, counts %t", locked, counts)
		}
	})
}
