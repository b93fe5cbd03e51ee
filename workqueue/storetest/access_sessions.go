package storetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

func accessSession(x *fixture) {
	bob := x.user("bob")
	got := x.session(bob, "secret")
	x.wantClean("CreatedAt", &got.CreatedAt)
	want := access.Session{
		ID: got.ID, CreatedAt: got.CreatedAt, SeenAt: got.CreatedAt, IdleUntil: got.CreatedAt.Add(time.Hour), ExpiresAt: got.CreatedAt.Add(8 * time.Hour),
		Address: "192.0.2.1", UserAgent: "Browser/1.0", SignedInBy: "password",
	}
	x.wantAlike("the new session", got, want)
	if got.User.ID != bob.ID || got.User.SignedInAt == nil {
		x.Errorf("the user of the new session is %s", asJSON(got.User))
	}
	read, err := x.sessionByHash(access.Hash("secret"))
	x.wantAlike("the session by its hash", have(x, read, err), want)
	if u := x.userNow("bob"); asJSON(read.User) != asJSON(u) || read.User.PasswordHash != u.PasswordHash {
		x.Errorf("the user of the session is %s, want %s", asJSON(read.User), asJSON(u))
	}
	_, err = x.sessionByHash(access.Hash("other"))
	x.wantErr("the session of none", err, workqueue.ErrNotFound)
	x.session(bob, "another")
	for _, want := range []int{1, 0} {
		if n, err := x.Store.EndSession(x.ctx, got.ID); err != nil || n != want {
			x.Errorf("EndSession = %d, %v, want %d", n, err, want)
		}
	}
	_, err = x.sessionByHash(access.Hash("secret"))
	x.wantErr("the session after its end", err, workqueue.ErrNotFound)
	if _, err := x.sessionByHash(access.Hash("another")); err != nil {
		x.Errorf("another session of the user: %v", err)
	}
	x.session(bob, "third")
	both, err := x.Store.SessionsByHash(x.ctx, []string{access.Hash("third"), access.Hash("secret"), access.Hash("another")})
	if third, another := both[access.Hash("third")], both[access.Hash("another")]; err != nil || len(both) != 2 || third.ID <= another.ID || third.User.ID != bob.ID || another.User.ID != bob.ID {
		x.Errorf("the sessions of three hashes, of which one has ended: %s, %v", asJSON(both), err)
	}
	if none, err := x.Store.SessionsByHash(x.ctx, nil); err != nil || len(none) != 0 {
		x.Errorf("the sessions of no hashes: %s, %v", asJSON(none), err)
	}
	_, err = x.Store.CreateSession(x.ctx, access.NewSessionParams{UserID: bob.ID + 100, Hash: access.Hash("x"), Idle: time.Hour, Longest: time.Hour})
	x.wantErr("a session of no user", err, workqueue.ErrNotFound)
	p := sessionParams(bob, "checked")
	p.PasswordHash = x.userNow("bob").PasswordHash
	if _, err := x.Store.CreateSession(x.ctx, p); err != nil {
		x.Errorf("a session with the password that was checked: %v", err)
	}
	if _, err := x.Store.ChangeUser(x.ctx, access.UserParams{Name: "bob", Role: bob.Role, PasswordHash: "$argon2id$new"}); err != nil {
		x.Fatal(err)
	}
	p.Hash = access.Hash("late")
	_, err = x.Store.CreateSession(x.ctx, p)
	x.wantErr("a session with a password that was changed", err, workqueue.ErrNotFound)
}

// sessionByHash reads one session; workqueue.ErrNotFound if it has ended.
func (x *fixture) sessionByHash(hash string) (access.Session, error) {
	found, err := x.Store.SessionsByHash(x.ctx, []string{access.Hash("no session"), hash})
	if _, ok := found[hash]; err == nil && (!ok || len(found) > 1) {
		err = workqueue.ErrNotFound
	}
	return found[hash], err
}

// wantSession checks whether a session has ended.
func (x *fixture) wantSession(secret string, lives bool) {
	x.Helper()
	_, err := x.sessionByHash(access.Hash(secret))
	if lives && err != nil || !lives && !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("the session of %s: error %v, want that it lives: %t", secret, err, lives)
	}
}

func accessSessionIdle(y *fixture) {
	x := newTimed(y)
	bob := x.user("bob")
	p := sessionParams(bob, "used")
	p.Longest = 100 * time.Minute
	used, err := x.Store.CreateSession(x.ctx, p)
	have(x, used, err)
	idle := x.session(bob, "idle")
	use := func(id int64) {
		x.Helper()
		if err := x.Store.UsedSession(x.ctx, id, time.Hour); err != nil {
			x.Fatal(err)
		}
	}
	x.now = x.now.Add(time.Hour - time.Millisecond)
	x.wantSession("used", true)
	x.wantSession("idle", true)
	use(used.ID)
	if s, err := x.sessionByHash(p.Hash); err != nil || !s.SeenAt.Equal(x.now) || !s.IdleUntil.Equal(s.ExpiresAt) || !s.ExpiresAt.Equal(used.ExpiresAt) {
		x.Errorf("the used session is %s, %v; want its idle time to end with it", asJSON(s), err)
	}
	x.now = x.now.Add(time.Millisecond)
	x.wantSession("used", true)
	x.wantSession("idle", false)
	use(idle.ID) // too late
	x.wantSession("idle", false)
	if n, err := x.Store.EndSession(x.ctx, idle.ID); err != nil || n != 0 {
		x.Errorf("EndSession after its end = %d, %v, want 0", n, err)
	}
	x.now = used.ExpiresAt.Add(-time.Millisecond)
	use(used.ID)
	x.wantSession("used", true)
	x.now = used.ExpiresAt
	x.wantSession("used", false)
	p.Hash, p.Idle = access.Hash("short"), 9*time.Hour
	if s, err := x.Store.CreateSession(x.ctx, p); err != nil || !s.IdleUntil.Equal(s.ExpiresAt) {
		x.Errorf("a session with an idle time that is longer is %s, %v", asJSON(s), err)
	}
}

func accessSessionsEnd(x *fixture) {
	bob, eve := x.user("bob"), x.user("eve")
	x.session(bob, "1")
	x.session(bob, "2")
	x.session(eve, "3")
	listed, err := x.Store.Sessions(x.ctx, bob.ID)
	if one, byHash := x.sessionByHash(access.Hash("1")); err != nil || byHash != nil || len(listed) != 2 || listed[0].ID >= listed[1].ID || asJSON(listed[0]) != asJSON(one) {
		x.Errorf("Sessions = %s, %v, want 1 and 2", asJSON(listed), err)
	}
	for _, want := range []int{2, 0} {
		if n, err := x.Store.EndSessions(x.ctx, bob.ID); err != nil || n != want {
			x.Errorf("EndSessions = %d, %v, want %d", n, err, want)
		}
	}
	x.wantSession("1", false)
	x.wantSession("2", false)
	x.wantSession("3", true)
	for _, id := range []int64{bob.ID, bob.ID + 100} {
		if listed, err := x.Store.Sessions(x.ctx, id); err != nil || len(listed) != 0 {
			x.Errorf("Sessions = %s, %v, want none", asJSON(listed), err)
		}
	}
}

// A user is disabled while sessions start. None of them is alive when the user is enabled again.
func accessSessionContends(x *fixture) {
	bob := x.user("bob")
	other := x.Another(x.T)
	for range 10 {
		var wg sync.WaitGroup
		var secrets []string
		var mu sync.Mutex
		for range 4 {
			wg.Go(func() {
				secret := access.NewSecret()
				_, err := other.CreateSession(x.ctx, sessionParams(bob, secret))
				if err != nil && !errors.Is(err, workqueue.ErrNotFound) {
					x.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				secrets = append(secrets, secret)
			})
		}
		if _, err := x.Store.DisableUser(x.ctx, "bob", true, "ann"); err != nil {
			x.Fatal(err)
		}
		wg.Wait()
		if _, err := x.Store.DisableUser(x.ctx, "bob", false, "ann"); err != nil {
			x.Fatal(err)
		}
		for _, secret := range secrets {
			x.wantSession(secret, false)
		}
	}
}

func accessLink(y *fixture) {
	x := newTimed(y)
	bob := x.user("bob")
	for _, secret := range []string{"once", "late", "changed"} {
		if err := x.Store.CreateLink(x.ctx, bob.ID, access.Hash(secret), time.Minute); err != nil {
			x.Fatal(err)
		}
	}
	x.now = x.now.Add(time.Minute - time.Millisecond)
	u, err := x.Store.UseLink(x.ctx, access.Hash("once"))
	x.wantAlike("the user of the link", have(x, u, err), x.userNow("bob"))
	for _, secret := range []string{"once", "none"} {
		_, err = x.Store.UseLink(x.ctx, access.Hash(secret))
		x.wantErr("UseLink("+secret+")", err, access.ErrLinkUsed)
	}
	if _, err := x.Store.ChangeUser(x.ctx, access.UserParams{Name: "bob", Role: access.Viewer}); err != nil {
		x.Fatal(err)
	}
	_, err = x.Store.UseLink(x.ctx, access.Hash("changed"))
	x.wantErr("UseLink after a change of the user", err, access.ErrLinkUsed)
	if err := x.Store.CreateLink(x.ctx, bob.ID, access.Hash("new"), time.Minute); err != nil {
		x.Fatal(err)
	}
	x.now = x.now.Add(time.Minute)
	_, err = x.Store.UseLink(x.ctx, access.Hash("new"))
	x.wantErr("UseLink after its time", err, access.ErrLinkUsed)
	x.wantErr("a link of no user", x.Store.CreateLink(x.ctx, bob.ID+100, access.Hash("x"), time.Minute), workqueue.ErrNotFound)
}

func accessLinkContends(x *fixture) {
	bob := x.user("bob")
	if err := x.Store.CreateLink(x.ctx, bob.ID, access.Hash("link"), time.Minute); err != nil {
		x.Fatal(err)
	}
	won := x.contend(8, func(s Store, _ int) bool {
		u, err := s.UseLink(x.ctx, access.Hash("link"))
		if err != nil && !errors.Is(err, access.ErrLinkUsed) || err == nil && u.ID != bob.ID {
			x.Errorf("UseLink = %s, %v", asJSON(u), err)
		}
		return err == nil
	})
	if won != 1 {
		x.Errorf("%d uses of the link succeeded, want one", won)
	}
}

// The log has one entry for the attempts of an address in a time, however many there are.
func refusedSignIns(x *fixture) {
	bob, eve := x.user("bob"), x.user("eve")
	for i := range 30 {
		for _, u := range []access.User{bob, eve} {
			ctx := workqueue.WithActor(x.ctx, workqueue.Actor{Via: workqueue.ViaAPI, Host: fmt.Sprint("192.0.2.", i%3)})
			// A locked user is refused, whatever the password.
			refuse := x.Store.SignInFailed
			if i%2 == 1 {
				refuse = x.Store.SignInRefused
			}
			if err := refuse(ctx, u.ID); err != nil {
				x.Fatal(err)
			}
		}
	}
	entries, err := x.Store.AuditEntries(x.ctx, workqueue.AuditFilter{Action: workqueue.AuditUsersRefuse})
	if err != nil {
		x.Fatal(err)
	}
	attempts := map[string]int64{}
	for _, e := range entries {
		attempts[e.Target+" from "+e.Host] += e.Changed
	}
	// The time of an entry may have ended in between.
	if len(entries) < 6 || len(entries) > 12 || len(attempts) != 6 {
		x.Errorf("got %d entries about %v, want 6", len(entries), attempts)
	}
	for who, n := range attempts {
		if n != 10 {
			x.Errorf("%s: got %d attempts, want 10", who, n)
		}
	}
}
