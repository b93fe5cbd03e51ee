package storetest

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

func accessTests() []test {
	return []test{
		{"a token from its creation to its end", accessToken},
		{"a token expires to the millisecond", accessTokenExpires},
		{"names of tokens are unique until they are revoked", accessTokenNames},
		{"one of many tokens gets a name", accessTokenContends},
		{"tokens that were used", accessTokensUsed},
		{"faults of parameters are refused", accessFaults},
		{"a user from its creation to a change", accessUser},
		{"names of users in any case", accessUserNames},
		{"subjects", accessSubjects},
		{"changes of a user at the same time are all in the log", accessUserContends},
		{"a disabled user is locked out", accessDisabled},
		{"a user changes the password", accessPassword},
		{"one of many changes of a password succeeds", accessPasswordContends},
		{"failures lock a user", accessFailures},
		{"failures at the same time are all counted", accessFailuresContend},
		{"a session from its start to its end", accessSession},
		{"the idle time of a session to the millisecond", accessSessionIdle},
		{"sessions of a user end together", accessSessionsEnd},
		{"refused sign-ins in the audit log", refusedSignIns},
		{"no session survives a change at the same time", accessSessionContends},
		{"a sign-in link works once", accessLink},
		{"one of many uses of a sign-in link succeeds", accessLinkContends},
		{"an answer is given again", accessAnswer},
		{"keys are compared with case and by caller", accessAnswerKeys},
		{"an unanswered request is taken over after the patience", accessAnswerTaken},
		{"one of many requests with a key is processed", accessAnswerContends},
		{"one of many callers takes over a request", accessAnswerTakeContends},
		{"the audit log has no secrets", accessAudit},
		{"what has ended is removed", accessClean},
		{"a batch of the clean-up has a limit", accessCleanBatch},
	}
}

// have returns a value, or ends the test.
func have[T any](t testing.TB, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// token creates a token; its hash is made of its name.
func (x *fixture) token(name string, change func(*access.NewTokenParams)) access.Token {
	x.Helper()
	p := access.NewTokenParams{Name: name, Start: "bw_abcdef", Hash: access.Hash(name), Role: access.Viewer, By: "ann"}
	if change != nil {
		change(&p)
	}
	t, err := x.Store.CreateToken(x.ctx, p)
	return have(x, t, err)
}

// user creates a user with a password.
func (x *fixture) user(name string) access.User {
	x.Helper()
	u, err := x.Store.CreateUser(x.ctx, access.UserParams{Name: name, Role: access.Operator, PasswordHash: "$argon2id$secret", By: "ann"})
	return have(x, u, err)
}

// userNow reads a user.
func (x *fixture) userNow(name string) access.User {
	x.Helper()
	u, now, err := x.Store.User(x.ctx, name)
	have(x, u, err)
	x.wantClean("the time by the database's clock", &now)
	return u
}

// session starts a session of a user that ends after 8 hours, or an hour without use.
func (x *fixture) session(u access.User, secret string) access.Session {
	x.Helper()
	s, err := x.Store.CreateSession(x.ctx, sessionParams(u, secret))
	return have(x, s, err)
}

func sessionParams(u access.User, secret string) access.NewSessionParams {
	return access.NewSessionParams{
		UserID: u.ID, Hash: access.Hash(secret), Idle: time.Hour, Longest: 8 * time.Hour,
		Address: "192.0.2.1", UserAgent: "Browser/1.0", SignedInBy: "password",
	}
}

// wantErr checks an error.
func (x *fixture) wantErr(what string, err, want error) {
	x.Helper()
	if !errors.Is(err, want) {
		x.Errorf("%s: error %v, want %v", what, err, want)
	}
}

// wantAlike compares two values as JSON.
func (x *fixture) wantAlike(what string, got, want any) {
	x.Helper()
	if asJSON(got) != asJSON(want) {
		x.Errorf("%s is\n     %s\nwant %s", what, asJSON(got), asJSON(want))
	}
}

func accessToken(x *fixture) {
	x.token("other", nil)
	got := x.token("Deploy", func(p *access.NewTokenParams) {
		p.Role, p.Queues, p.ExpiresIn = "Robot", []string{"b", "a", "b"}, time.Hour
	})
	x.wantClean("CreatedAt", &got.CreatedAt)
	want := access.Token{
		ID: got.ID, Name: "Deploy", Start: "bw_abcdef", Role: access.Robot, Queues: []string{"a", "b"}, CreatedAt: got.CreatedAt, CreatedBy: "ann",
		ExpiresAt: new(got.CreatedAt.Add(time.Hour)),
	}
	x.wantAlike("the new token", got, want)
	read, now, err := x.Store.TokenByHash(x.ctx, access.Hash("Deploy"))
	x.wantAlike("the token by its hash", have(x, read, err), want)
	x.wantClean("the time by the database's clock", &now)
	if now.Before(got.CreatedAt) || !read.Works(now) {
		x.Errorf("at %s the token %s does not work", now, asJSON(read))
	}
	tokens, err := x.Store.Tokens(x.ctx)
	if have(x, tokens, err); len(tokens) != 2 || tokens[0].Name != "other" || asJSON(tokens[0].Queues) != "[]" || tokens[0].ExpiresAt != nil {
		x.Errorf("Tokens = %s, want two in the order of their ids", asJSON(tokens))
	}
	for _, want := range []bool{true, false} {
		if changed, err := x.Store.RevokeToken(x.ctx, got.ID, "bob"); err != nil || changed != want {
			x.Errorf("RevokeToken = %t, %v, want %t", changed, err, want)
		}
	}
	read, now, err = x.Store.TokenByHash(x.ctx, access.Hash("Deploy"))
	if have(x, read, err); read.Works(now) || deref(read.RevokedBy) != "bob" {
		x.Errorf("the revoked token is %s", asJSON(read))
	}
	x.wantClean("RevokedAt", read.RevokedAt)
	_, err = x.Store.RevokeToken(x.ctx, got.ID+100, "bob")
	x.wantErr("RevokeToken of none", err, workqueue.ErrNotFound)
	_, _, err = x.Store.TokenByHash(x.ctx, access.Hash("none"))
	x.wantErr("TokenByHash of none", err, workqueue.ErrNotFound)
}

func accessTokenExpires(y *fixture) {
	x := newTimed(y)
	x.token("Deploy", func(p *access.NewTokenParams) { p.ExpiresIn = time.Minute })
	for _, c := range []struct {
		later time.Duration
		works bool
	}{{time.Minute - time.Millisecond, true}, {time.Millisecond, false}} {
		x.now = x.now.Add(c.later)
		if t, now, err := x.Store.TokenByHash(x.ctx, access.Hash("Deploy")); err != nil || !now.Equal(x.now) || t.Works(now) != c.works {
			x.Errorf("at %s the token works: %t, %v; want %t at %s", now, t.Works(now), err, c.works, x.now)
		}
	}
}

func accessTokenNames(x *fixture) {
	first := x.token("Deploy", nil)
	for _, name := range []string{"Deploy", "dePLOY"} {
		_, err := x.Store.CreateToken(x.ctx, access.NewTokenParams{Name: name, Hash: access.Hash("2" + name), Role: access.Viewer})
		x.wantErr("a second token "+name, err, access.ErrNameTaken)
	}
	if _, err := x.Store.RevokeToken(x.ctx, first.ID, "ann"); err != nil {
		x.Fatal(err)
	}
	if second := x.token("deploy", func(p *access.NewTokenParams) { p.Hash = access.Hash("2") }); second.ID == first.ID {
		x.Errorf("two tokens have the id %d", first.ID)
	}
}

// contend calls do at the same time on several stores and returns how often it returned true.
func (x *fixture) contend(n int, do func(s Store, i int) bool) int {
	x.Helper()
	stores := []Store{x.Store, x.Another(x.T)}
	results := make([]bool, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { results[i] = do(stores[i%len(stores)], i) })
	}
	wg.Wait()
	won := 0
	for _, r := range results {
		if r {
			won++
		}
	}
	return won
}

func accessTokenContends(x *fixture) {
	won := x.contend(8, func(s Store, i int) bool {
		_, err := s.CreateToken(x.ctx, access.NewTokenParams{Name: "Deploy", Hash: access.Hash(strings.Repeat("x", i+1)), Role: access.Viewer})
		if err != nil && !errors.Is(err, access.ErrNameTaken) {
			x.Error(err)
		}
		return err == nil
	})
	if won != 1 {
		x.Errorf("%d tokens have the name, want one", won)
	}
}

func accessTokensUsed(y *fixture) {
	x := newTimed(y)
	a, b, c := x.token("a", nil), x.token("b", nil), x.token("c", nil)
	for _, used := range [][]int64{{}, {c.ID, a.ID, a.ID, c.ID + 100}, {a.ID}} {
		x.now = x.now.Add(time.Minute)
		if err := x.Store.UsedTokens(x.ctx, used); err != nil {
			x.Fatal(err)
		}
	}
	tokens, err := x.Store.Tokens(x.ctx)
	have(x, tokens, err)
	for i, want := range []string{x.now.String(), deref(b.LastUsedAt), x.now.Add(-time.Minute).String()} {
		if got := deref(tokens[i].LastUsedAt); got != want {
			x.Errorf("token %s was last used at %s, want %s", tokens[i].Name, got, want)
		}
	}
	many := make([]int64, 2500)
	for i := range many {
		many[i] = a.ID + int64(i)
	}
	if err := x.Store.UsedTokens(x.ctx, many); err != nil {
		x.Error(err)
	}
}

func accessFaults(x *fixture) {
	if _, err := x.Store.CreateToken(x.ctx, access.NewTokenParams{Name: " a", Role: access.Robot}); err == nil || !strings.Contains(err.Error(), "queues: got none") {
		x.Errorf("CreateToken with faults: error %v", err)
	}
	p := access.UserParams{Name: "a", Role: access.Robot}
	if _, err := x.Store.CreateUser(x.ctx, p); err == nil {
		x.Error("a user is a robot")
	}
	x.user("a")
	if _, err := x.Store.ChangeUser(x.ctx, p); err == nil {
		x.Error("a user became a robot")
	}
	if tokens, err := x.Store.Tokens(x.ctx); err != nil || len(tokens) != 0 {
		x.Errorf("Tokens = %v, %v, want none", tokens, err)
	}
}

func accessUser(x *fixture) {
	x.user("eve")
	p := access.UserParams{Name: "Bob", Role: "Editor", Queues: []string{"b", "a"}, PasswordHash: "$argon2id$first", By: "ann"}
	u, err := x.Store.CreateUser(x.ctx, p)
	have(x, u, err)
	x.wantClean("CreatedAt", &u.CreatedAt)
	want := access.User{ID: u.ID, Name: "Bob", Role: access.Editor, Queues: []string{"a", "b"}, HasPassword: true, PasswordHash: p.PasswordHash, CreatedAt: u.CreatedAt, CreatedBy: "ann"}
	x.wantAlike("the new user", u, want)
	if read := x.userNow("Bob"); read.PasswordHash != p.PasswordHash || asJSON(read) != asJSON(want) {
		x.Errorf("the user is %s with password %s", asJSON(read), read.PasswordHash)
	}
	users, err := x.Store.Users(x.ctx)
	if have(x, users, err); len(users) != 2 || users[0].Name != "Bob" || users[1].Name != "eve" {
		x.Errorf("Users = %s, want Bob and eve", asJSON(users))
	}
	x.session(u, "secret")
	same, err := x.Store.ChangeUser(x.ctx, access.UserParams{Name: "bob", Role: access.Editor, Queues: []string{"a", "b"}})
	if have(x, same, err); asJSON(same.Queues) != `["a","b"]` {
		x.Errorf("a change that changes nothing returned %s", asJSON(same))
	}
	if _, err := x.sessionByHash(access.Hash("secret")); err != nil {
		x.Errorf("a change that changes nothing has ended the session: %v", err)
	}
	changed, err := x.Store.ChangeUser(x.ctx, access.UserParams{Name: "BOB", Role: access.Admin, By: "ann"})
	have(x, changed, err)
	read := x.userNow("bob")
	x.wantAlike("the user that ChangeUser returned", changed, read)
	if read.Role != access.Admin || asJSON(read.Queues) != "[]" || read.PasswordHash != p.PasswordHash || read.Name != "Bob" {
		x.Errorf("the changed user is %s with password %s", asJSON(read), read.PasswordHash)
	}
	_, err = x.sessionByHash(access.Hash("secret"))
	x.wantErr("the session after the change", err, workqueue.ErrNotFound)
	if _, err := x.Store.ChangeUser(x.ctx, access.UserParams{Name: "Bob", Role: access.Admin, PasswordHash: "$argon2id$second"}); err != nil {
		x.Fatal(err)
	}
	if got := x.userNow("Bob").PasswordHash; got != "$argon2id$second" {
		x.Errorf("the password is %s, want the second one", got)
	}
	_, err = x.Store.ChangeUser(x.ctx, access.UserParams{Name: "none", Role: access.Admin})
	x.wantErr("ChangeUser of none", err, workqueue.ErrNotFound)
	_, _, err = x.Store.User(x.ctx, "none")
	x.wantErr("User of none", err, workqueue.ErrNotFound)
}

func accessUserNames(x *fixture) {
	names := []string{"Ångström", "straße", "İpek", "Ann"}
	for _, name := range names {
		x.user(name)
	}
	for name, want := range map[string]string{"åNGSTRÖM": "Ångström", "STRAßE": "straße", "aNN": "Ann"} {
		if got := x.userNow(name).Name; got != want {
			x.Errorf("User(%q) is %q, want %q", name, got, want)
		}
		_, err := x.Store.CreateUser(x.ctx, access.UserParams{Name: name, Role: access.Viewer})
		x.wantErr("a second user "+name, err, access.ErrNameTaken)
	}
	for _, name := range []string{"strasse", "Angstrom", "Ann "} {
		_, _, err := x.Store.User(x.ctx, name)
		x.wantErr("User("+name+")", err, workqueue.ErrNotFound)
	}
	users, err := x.Store.Users(x.ctx)
	have(x, users, err)
	var got []string
	for _, u := range users {
		got = append(got, u.Name)
	}
	if want := []string{"Ann", "İpek", "straße", "Ångström"}; !slices.Equal(got, want) {
		x.Errorf("Users = %q, want %q", got, want)
	}
}

func accessSubjects(x *fixture) {
	p := access.UserParams{Name: "bob", Role: access.Viewer, Subject: "https://id.example Bob-1"}
	_, err := x.Store.CreateUser(x.ctx, p)
	have(x, p, err)
	u, err := x.Store.UserBySubject(x.ctx, p.Subject)
	if have(x, u, err); u.Name != "bob" || u.Subject != p.Subject || u.PasswordHash != "" {
		x.Errorf("the user by subject is %s", asJSON(u))
	}
	x.user("local")
	x.user("another without a subject")
	for _, subject := range []string{"", "https://id.example bob-1", "none"} {
		_, err = x.Store.UserBySubject(x.ctx, subject)
		x.wantErr("UserBySubject("+subject+")", err, workqueue.ErrNotFound)
	}
	_, err = x.Store.CreateUser(x.ctx, access.UserParams{Name: "eve", Role: access.Viewer, Subject: p.Subject})
	x.wantErr("a second user with the subject", err, access.ErrSubjectTaken)
	_, err = x.Store.CreateUser(x.ctx, p)
	x.wantErr("the same user again", err, access.ErrNameTaken)
	_, err = x.Store.ChangeUser(x.ctx, access.UserParams{Name: "local", Role: access.Viewer, Subject: p.Subject})
	x.wantErr("a change to the subject of another", err, access.ErrSubjectTaken)
	if got, err := x.Store.ChangeUser(x.ctx, access.UserParams{Name: "bob", Role: access.Admin}); err != nil || got.Subject != p.Subject {
		x.Errorf("a change without a subject: %s, %v, want the subject kept", asJSON(got), err)
	}
	if got, err := x.Store.ChangeUser(x.ctx, access.UserParams{Name: "local", Role: access.Viewer, Subject: "new"}); err != nil || got.Subject != "new" {
		x.Errorf("a change of the subject: %s, %v", asJSON(got), err)
	}
}

func accessUserContends(x *fixture) {
	x.user("bob")
	before := x.lastAudit()
	roles := []access.Role{access.Viewer, access.Editor, access.Admin}
	x.contend(9, func(s Store, i int) bool {
		_, err := s.ChangeUser(x.ctx, access.UserParams{Name: "bob", Role: roles[i%len(roles)]})
		if err != nil {
			x.Error(err)
		}
		return err == nil
	})
	role := string(access.Operator)
	for _, e := range x.auditSince(before) {
		x.wantValues("before", e.Before, map[string]any{"role": role})
		role = strings.Split(string(e.After), `"`)[3]
	}
	if got := string(x.userNow("bob").Role); got != role {
		x.Errorf("the role is %s, want that of the last entry, %s", got, role)
	}
}

func accessDisabled(x *fixture) {
	bob, eve := x.user("bob"), x.user("eve")
	x.session(bob, "bob's")
	x.session(eve, "eve's")
	for _, hash := range []string{"bob's link", "second"} {
		if err := x.Store.CreateLink(x.ctx, bob.ID, access.Hash(hash), time.Hour); err != nil {
			x.Fatal(err)
		}
	}
	disable := func(disabled, want bool) {
		x.Helper()
		if changed, err := x.Store.DisableUser(x.ctx, "BOB", disabled, "ann"); err != nil || changed != want {
			x.Errorf("DisableUser(%t) = %t, %v, want %t", disabled, changed, err, want)
		}
	}
	disable(false, false)
	disable(true, true)
	disable(true, false)
	x.wantClean("DisabledAt", x.userNow("bob").DisabledAt)
	lockedOut := func(what string) {
		x.Helper()
		_, err := x.sessionByHash(access.Hash("bob's"))
		x.wantErr(what+": the session", err, workqueue.ErrNotFound)
		_, err = x.Store.UseLink(x.ctx, access.Hash("bob's link"))
		x.wantErr(what+": the link", err, access.ErrLinkUsed)
	}
	lockedOut("disabled")
	_, err := x.Store.CreateSession(x.ctx, sessionParams(bob, "new"))
	x.wantErr("a session of a disabled user", err, workqueue.ErrNotFound)
	x.wantErr("a link of a disabled user", x.Store.CreateLink(x.ctx, bob.ID, access.Hash("new"), time.Hour), workqueue.ErrNotFound)
	disable(false, true)
	if at := x.userNow("bob").DisabledAt; at != nil {
		x.Errorf("the enabled user has DisabledAt = %s", at)
	}
	lockedOut("enabled again")
	x.session(bob, "new")
	if _, err := x.sessionByHash(access.Hash("eve's")); err != nil {
		x.Errorf("the session of another user: %v", err)
	}
	_, err = x.Store.DisableUser(x.ctx, "none", true, "ann")
	x.wantErr("DisableUser of none", err, workqueue.ErrNotFound)
}

func accessPassword(x *fixture) {
	bob, err := x.Store.CreateUser(x.ctx, access.UserParams{Name: "bob", Role: access.Editor, Queues: []string{"a"}, PasswordHash: "first", By: "ann"})
	have(x, bob, err)
	x.session(bob, "secret")
	if err := x.Store.CreateLink(x.ctx, bob.ID, access.Hash("link"), time.Hour); err != nil {
		x.Fatal(err)
	}
	_, err = x.Store.ChangePassword(x.ctx, access.PasswordChange{UserID: bob.ID, Present: "another", Hash: "second"})
	x.wantErr("with another present password", err, access.ErrPasswordChanged)
	if _, err := x.sessionByHash(access.Hash("secret")); err != nil {
		x.Errorf("the session after a refused change: %v", err)
	}
	if err := x.Store.SignInFailed(x.ctx, bob.ID); err != nil {
		x.Fatal(err)
	}
	changed, err := x.Store.ChangePassword(x.ctx, access.PasswordChange{UserID: bob.ID, Present: "first", Hash: "second"})
	have(x, changed, err)
	read := x.userNow("bob")
	x.wantAlike("the user that ChangePassword returned", changed, read)
	if read.PasswordHash != "second" || read.Role != access.Editor || asJSON(read.Queues) != `["a"]` || read.Failures != 0 {
		x.Errorf("the user is %s with password %s", asJSON(read), read.PasswordHash)
	}
	_, err = x.sessionByHash(access.Hash("secret"))
	x.wantErr("the session after the change", err, workqueue.ErrNotFound)
	_, err = x.Store.UseLink(x.ctx, access.Hash("link"))
	x.wantErr("the link after the change", err, access.ErrLinkUsed)
	entries, err := x.Store.AuditEntries(x.ctx, workqueue.AuditFilter{Action: workqueue.AuditUsersSet})
	if have(x, entries, err); len(entries) != 1 || entries[0].Target != "bob" || entries[0].Actor != "bob" || !strings.Contains(string(entries[0].After), "passwordSet") {
		x.Errorf("the audit log has %s", asJSON(entries))
	}
	if _, err := x.Store.DisableUser(x.ctx, "bob", true, "ann"); err != nil {
		x.Fatal(err)
	}
	_, err = x.Store.ChangePassword(x.ctx, access.PasswordChange{UserID: bob.ID, Present: "second", Hash: "third"})
	x.wantErr("ChangePassword of a disabled user", err, access.ErrPasswordChanged)
	_, err = x.Store.ChangePassword(x.ctx, access.PasswordChange{UserID: bob.ID + 100, Present: "second", Hash: "third"})
	x.wantErr("ChangePassword of none", err, workqueue.ErrNotFound)
}

func accessPasswordContends(x *fixture) {
	bob := x.user("bob")
	won := x.contend(8, func(s Store, i int) bool {
		_, err := s.ChangePassword(x.ctx, access.PasswordChange{UserID: bob.ID, Present: bob.PasswordHash, Hash: strings.Repeat("x", i+1)})
		if err != nil && !errors.Is(err, access.ErrPasswordChanged) {
			x.Error(err)
		}
		return err == nil
	})
	if won != 1 {
		x.Errorf("%d changes succeeded, want one", won)
	}
}

func accessFailures(y *fixture) {
	x := newTimed(y)
	bob := x.user("bob")
	x.user("eve")
	for failures := 1; failures <= access.AccountFailures+15; failures++ {
		if err := x.Store.SignInFailed(x.ctx, bob.ID); err != nil {
			x.Fatal(err)
		}
		want := "NULL"
		if d := access.AccountLockedFor(failures); d > 0 {
			want = x.now.Add(d).String()
		}
		if u := x.userNow("bob"); u.Failures != failures || deref(u.LockedUntil) != want {
			x.Errorf("after %d failures: %d, locked until %s; want %s", failures, u.Failures, deref(u.LockedUntil), want)
		}
	}
	x.session(bob, "secret")
	if u := x.userNow("bob"); u.Failures != 0 || u.LockedUntil != nil || deref(u.SignedInAt) != x.now.String() {
		x.Errorf("the user that has signed in is %s", asJSON(u))
	}
	for range 5 {
		if err := x.Store.SignInFailed(x.ctx, bob.ID); err != nil {
			x.Fatal(err)
		}
	}
	if _, err := x.Store.ChangeUser(x.ctx, access.UserParams{Name: "bob", Role: access.Viewer}); err != nil || x.userNow("bob").Failures != 5 {
		x.Errorf("after a change of the role the user is %s, %v; want 5 failures", asJSON(x.userNow("bob")), err)
	}
	if _, err := x.Store.ChangeUser(x.ctx, access.UserParams{Name: "bob", Role: access.Viewer, PasswordHash: "new"}); err != nil || x.userNow("bob").Failures != 0 {
		x.Errorf("after a change of the password the user is %s, %v; want no failures", asJSON(x.userNow("bob")), err)
	}
	if u := x.userNow("eve"); u.Failures != 0 {
		x.Errorf("the failures of another user are %d", u.Failures)
	}
	x.wantErr("SignInFailed of none", x.Store.SignInFailed(x.ctx, bob.ID+100), workqueue.ErrNotFound)
}

func accessFailuresContend(y *fixture) {
	x := newTimed(y)
	bob := x.user("bob")
	for range access.AccountFailures - 12 {
		if err := x.Store.SignInFailed(x.ctx, bob.ID); err != nil {
			x.Fatal(err)
		}
	}
	x.contend(12, func(s Store, _ int) bool {
		if err := s.SignInFailed(x.ctx, bob.ID); err != nil {
			x.Error(err)
		}
		return true
	})
	if u := x.userNow("bob"); u.Failures != access.AccountFailures || u.LockedUntil == nil {
		x.Errorf("after %d failures the user is %s", access.AccountFailures, asJSON(u))
	}
}
