package auth

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue/access"
	"botwork/workqueue/sqlstore"
)

func TestPasswordHash(t *testing.T) {
	hash, err := HashPassword("ada", "correct horse battery")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("got %q, %v", hash, err)
	}
	if again, _ := HashPassword("ada", "correct horse battery"); again == hash {
		t.Error("two hashes of one password are equal, want different salts")
	}
	if composed, err := HashPassword("ada", "gr\u00fcne Flaschen"); err != nil {
		t.Error(err)
	} else if right, err := verify("gru\u0308ne Flaschen", composed); !right || err != nil {
		t.Errorf("the same password in another form: got %v, %v", right, err)
	}
	// A hash of the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
	const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	for _, c := range []struct {
		password, hash string
		right, broken  bool
	}{
		{"correct horse battery", hash, true, false},
		{"correct horse batterz", hash, false, false},
		{"", hash, false, false},
		{"password", reference, true, false},
		{"Password", reference, false, false},
		{"", noPassword, false, false},
		{"x", "", false, true},
		{"x", "plain", false, true},
		{"x", strings.Replace(hash, "m=19456", "m=99999999", 1), false, true},
		{"x", strings.Replace(hash, "t=2", "t=0", 1), false, true},
		{"x", strings.Replace(hash, "argon2id", "argon2i", 1), false, true},
		{"x", hash[:len(hash)-30], false, true},
	} {
		if right, err := verify(c.password, c.hash); right != c.right || (err != nil) != c.broken {
			t.Errorf("%q with %q: got %v, %v", c.password, c.hash, right, err)
		}
	}
}

func TestCheckPassword(t *testing.T) {
	for password, ok := range map[string]bool{
		"elevenchars": false, "twelve chars": true, strings.Repeat("x", 128): true, strings.Repeat("x", 129): false,
		strings.Repeat("ü", 12): true, strings.Repeat("ü", 11): false, "\xff\xffxxxxxxxxxxxx": false, "ADA.LOVELACE@EXAMPLE.COM": false, "": false,
	} {
		if err := CheckPassword("ada.lovelace@example.com", password); (err == nil) != ok {
			t.Errorf("%q: got %v", password, err)
		}
	}
}

func TestPasswordsAreBounded(t *testing.T) {
	p := NewPasswords(1)
	end, err := p.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := p.begin(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second at once: got %v, want to wait", err)
	}
	for range 16 {
		p.queue <- struct{}{}
	}
	if _, err := p.begin(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	end()
}

func open(t *testing.T) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: "sqlite", DSN: filepath.Join(t.TempDir(), "botwork.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// A user that does not exist is locked like one that does.
func TestLocks(t *testing.T) {
	store := open(t)
	ada, err := CreateUser(t.Context(), store, access.UserParams{Name: "ada", Role: access.Viewer}, "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	s := NewSignIns(store)
	s.least = 0
	for i := range 6 {
		var waits [2]time.Duration
		for j, name := range []string{"ADA", "Unknown"} {
			_, _, err := s.Password(t.Context(), name, "wrong", Browser{Address: "10.0.0.1"})
			failed, ok := errors.AsType[*SignInError](err)
			if !ok {
				t.Fatalf("%s: got %v", name, err)
			}
			waits[j] = failed.RetryAfter
		}
		if (waits[0] > 0) != (i >= 4) || (waits[1] > 0) != (i >= 4) {
			t.Errorf("attempt %d: got the waits %v", i+1, waits)
		}
	}
	for range access.AccountFailures { // checking a password may take longer than the first locks
		if err := store.SignInFailed(t.Context(), ada.ID); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err = s.Password(t.Context(), "ada", "correct horse battery", Browser{Address: "10.0.0.1"})
	if failed, ok := errors.AsType[*SignInError](err); !ok || failed.RetryAfter <= 0 {
		t.Errorf("the right password of a locked user: got %v", err)
	}
}

func TestAddressLimit(t *testing.T) {
	s := NewSignIns(nil)
	now := time.Now()
	for range addressFailures {
		if wait := s.attempts.addressWait("2001:db8::1", now); wait != 0 {
			t.Fatalf("got the wait %v", wait)
		}
		s.attempts.addressFailed("2001:db8::1", now)
	}
	for address, refused := range map[string]bool{"2001:db8::1": true, "2001:db8::ffff": true, "2001:db8:0:1::1": false, "10.0.0.1": false} {
		if wait := s.attempts.addressWait(address, now); (wait > 0) != refused {
			t.Errorf("%s: got the wait %v", address, wait)
		}
	}
	if wait := s.attempts.addressWait("2001:db8::1", now.Add(failureEvery)); wait != 0 {
		t.Errorf("%v later: got the wait %v", failureEvery, wait)
	}
	if _, _, err := s.Password(t.Context(), "ada", "x", Browser{Address: "2001:db8::2"}); err == nil {
		t.Error("an attempt of the address was not refused")
	}
	if _, _, err := s.Link(t.Context(), "x", Browser{Address: "2001:db8::2"}); err == nil {
		t.Error("a link of the address was not refused")
	}
}

// countingStore counts the writes of the use of sessions.
type countingStore struct {
	access.UserStore
	reads, writes int
}

func (c *countingStore) SessionsByHash(ctx context.Context, hashes []string) (map[string]access.Session, error) {
	c.reads++
	return c.UserStore.SessionsByHash(ctx, hashes)
}

func (c *countingStore) UsedSession(ctx context.Context, id int64, idle time.Duration) error {
	c.writes++
	return c.UserStore.UsedSession(ctx, id, idle)
}

func TestSessionUseIsWrittenRarely(t *testing.T) {
	store := &countingStore{UserStore: open(t)}
	u, err := CreateUser(t.Context(), store, access.UserParams{Name: "ada", Role: access.Viewer}, "")
	if err != nil {
		t.Fatal(err)
	}
	signIns := NewSignIns(store)
	_, text, err := signIns.start(t.Context(), &u, "", ByLink, Browser{})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSessions(store)
	for range 5 {
		if _, err := s.Session(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if store.reads != 1 || store.writes != 1 {
		t.Errorf("5 requests: %d reads and %d writes, want 1 of each", store.reads, store.writes)
	}
	s.Forget()
	if _, err := s.Session(t.Context(), text); err != nil || store.reads != 2 || store.writes != 1 {
		t.Errorf("after Forget: %d reads, %d writes, %v", store.reads, store.writes, err)
	}
}

// A hundred browsers that are used all the time cost one statement in five seconds. Each sees at once that
// its session has ended.
func TestSessionsAreReadTogether(t *testing.T) {
	store := &countingStore{UserStore: open(t)}
	u, err := CreateUser(t.Context(), store, access.UserParams{Name: "ada", Role: access.Viewer}, "")
	if err != nil {
		t.Fatal(err)
	}
	signIns, s := NewSignIns(store), NewSessions(store)
	var texts []string
	var first access.Session
	for range 100 {
		session, text, err := signIns.start(t.Context(), &u, "", ByLink, Browser{})
		if err != nil {
			t.Fatal(err)
		}
		if first.ID == 0 {
			first = session
		}
		texts = append(texts, text)
		if _, err := s.Session(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	expire := func() {
		for _, c := range s.known {
			c.until = time.Time{}
		}
	}
	expire()
	store.reads = 0
	for _, text := range texts {
		if session, err := s.Session(t.Context(), text); err != nil || session.User.Name != "ada" {
			t.Fatalf("got %+v, %v", session, err)
		}
	}
	if store.reads != 1 {
		t.Errorf("100 sessions were read by %d statements, want 1", store.reads)
	}
	if _, err := store.EndSession(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	expire()
	for i, text := range slices.Backward(texts) {
		if _, err := s.Session(t.Context(), text); errors.Is(err, ErrNoSession) != (i == 0) {
			t.Errorf("session %d after the first has ended: %v", i, err)
		}
	}
	if store.reads != 3 { // one for all, one for the session that was not among them
		t.Errorf("%d statements, want 3", store.reads)
	}
}

// ticketStore has one session, until it has ended.
type ticketStore struct {
	access.UserStore
	ended atomic.Bool
	reads atomic.Int64
}

func (s *ticketStore) SessionsByHash(_ context.Context, hashes []string) (map[string]access.Session, error) {
	s.reads.Add(1)
	found := map[string]access.Session{}
	for _, hash := range hashes {
		if !s.ended.Load() {
			found[hash] = access.Session{ID: 1}
		}
	}
	return found, nil
}

func (s *ticketStore) UsedSession(context.Context, int64, time.Duration) error { return nil }

// A browser that asks ten times a second costs one statement in five seconds. When another process ends its session,
// it is refused after five seconds at most; when this one does, at once.
func TestSessionAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &ticketStore{}
		s := NewSessions(store)
		wants := func(want error, when string) {
			t.Helper()
			if _, err := s.Session(t.Context(), "ticket"); !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", when, err, want)
			}
		}
		for range 600 {
			wants(nil, "a session")
			time.Sleep(time.Second / 10)
		}
		if n := store.reads.Load(); n != 12 {
			t.Errorf("a minute took %d statements, want 12", n)
		}
		wants(nil, "just before the session ends")
		store.ended.Store(true)
		time.Sleep(sessionAge)
		wants(ErrNoSession, "5 seconds after another process has ended it")
		store.ended.Store(false)
		wants(nil, "a new session")
		store.ended.Store(true)
		s.Forget()
		wants(ErrNoSession, "at once after this process has ended it")
	})
}

// A statement that was under way when a session was forgotten says nothing about it any more.
func TestForgottenSessions(t *testing.T) {
	store := &blockingStore{countingStore: countingStore{UserStore: open(t)}, begun: make(chan struct{}), goOn: make(chan struct{})}
	u, err := CreateUser(t.Context(), store, access.UserParams{Name: "ada", Role: access.Viewer}, "")
	if err != nil {
		t.Fatal(err)
	}
	session, text, err := NewSignIns(store).start(t.Context(), &u, "", ByLink, Browser{})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSessions(store)
	got := make(chan error, 1)
	go func() {
		_, err := s.Session(t.Context(), text)
		got <- err
	}()
	<-store.begun // it has read the session
	if _, err := store.EndSession(t.Context(), session.ID); err != nil {
		t.Fatal(err)
	}
	s.Forget()
	close(store.goOn)
	if err := <-got; !errors.Is(err, ErrNoSession) {
		t.Errorf("the request that waited: %v, want that the session has ended", err)
	}
	if _, err := s.Session(t.Context(), text); !errors.Is(err, ErrNoSession) {
		t.Errorf("the next request: %v, want that the session has ended", err)
	}
}

// blockingStore answers the first lookup only when it may go on.
type blockingStore struct {
	countingStore
	begun, goOn chan struct{}
}

func (b *blockingStore) SessionsByHash(ctx context.Context, hashes []string) (map[string]access.Session, error) {
	found, err := b.countingStore.SessionsByHash(ctx, hashes)
	if b.reads == 1 {
		close(b.begun)
		<-b.goOn
	}
	return found, err
}
