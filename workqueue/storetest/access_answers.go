package storetest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// answerTo is an answer of the caller to a request.
func answerTo(caller, key, request string) access.Answer {
	return access.Answer{Caller: caller, Key: key, RequestHash: access.Hash(request)}
}

// begin reserves a key that must be free.
func (x *fixture) beginAnswer(a access.Answer) {
	x.Helper()
	if got, found, err := x.Store.BeginAnswer(x.ctx, a, time.Minute); err != nil || found || got.Status != 0 {
		x.Fatalf("BeginAnswer(%s, %s) = %+v, %t, %v, want the key reserved", a.Caller, a.Key, got, found, err)
	}
}

// wantAnswer checks the answer that a key has.
func (x *fixture) wantAnswer(a access.Answer) {
	x.Helper()
	got, found, err := x.Store.BeginAnswer(x.ctx, answerTo(a.Caller, a.Key, "request"), time.Minute)
	if err == nil {
		x.wantClean("At", &got.At)
	}
	if got.At = a.At; err != nil || !found || got != a {
		x.Errorf("BeginAnswer(%s, %s) = %+v, %t, %v, want %+v", a.Caller, a.Key, got, found, err, a)
	}
}

func accessAnswer(x *fixture) {
	a := answerTo("bob", "k1", "request")
	x.beginAnswer(a)
	_, _, err := x.Store.BeginAnswer(x.ctx, a, time.Minute)
	x.wantErr("the same request again", err, access.ErrKeyInUse)
	_, _, err = x.Store.BeginAnswer(x.ctx, answerTo("bob", "k1", "other"), time.Minute)
	x.wantErr("another request", err, access.ErrKeyReused)
	if err := x.Store.KeepAnswer(x.ctx, a); err == nil {
		x.Error("an answer without a status was kept")
	}
	a.Status, a.Body = 201, `{"id":1,"name":"Ånn"}`+strings.Repeat(" ", 9000)
	if err := x.Store.KeepAnswer(x.ctx, a); err != nil {
		x.Fatal(err)
	}
	x.wantAnswer(a)
	_, _, err = x.Store.BeginAnswer(x.ctx, answerTo("bob", "k1", "other"), time.Minute)
	x.wantErr("another request after the answer", err, access.ErrKeyReused)
	second := a
	second.Body = "second"
	x.wantErr("a second answer", x.Store.KeepAnswer(x.ctx, second), workqueue.ErrNotFound)
	if err := x.Store.DropAnswer(x.ctx, "bob", "k1"); err != nil {
		x.Error(err)
	}
	x.wantAnswer(a)

	b := answerTo("bob", "k2", "request")
	x.beginAnswer(b)
	for range 2 {
		if err := x.Store.DropAnswer(x.ctx, "bob", "k2"); err != nil {
			x.Error(err)
		}
	}
	b.Status = 200
	x.wantErr("an answer after the key was dropped", x.Store.KeepAnswer(x.ctx, b), workqueue.ErrNotFound)
	x.beginAnswer(answerTo("bob", "k2", "other"))
}

func accessAnswerKeys(x *fixture) {
	long := strings.Repeat("k", access.MaxIdempotencyKey)
	keys := []access.Answer{
		answerTo("bob", "key", "request"), answerTo("bob", "KEY", "request"), answerTo("Bob", "key", "request"), answerTo("bo", "bkey", "request"),
		answerTo("bob", "key ", "request"), answerTo("bob", long, "request"), answerTo(strings.Repeat("b", 200)+"1", "key", "request"),
		answerTo(strings.Repeat("b", 200)+"2", "key", "request"),
	}
	for i, a := range keys {
		x.beginAnswer(a)
		keys[i].Status, keys[i].Body = 200, fmt.Sprint(i)
		if err := x.Store.KeepAnswer(x.ctx, keys[i]); err != nil {
			x.Error(err)
		}
	}
	for _, a := range keys {
		x.wantAnswer(a)
	}
}

func accessAnswerTaken(y *fixture) {
	x := newTimed(y)
	a := answerTo("bob", "k", "request")
	x.beginAnswer(a)
	x.now = x.now.Add(time.Minute - time.Millisecond)
	_, _, err := x.Store.BeginAnswer(x.ctx, a, time.Minute)
	x.wantErr("before the patience has ended", err, access.ErrKeyInUse)
	x.now = x.now.Add(time.Millisecond)
	_, _, err = x.Store.BeginAnswer(x.ctx, answerTo("bob", "k", "other"), time.Minute)
	x.wantErr("another request after the patience has ended", err, access.ErrKeyReused)
	x.beginAnswer(a)
	_, _, err = x.Store.BeginAnswer(x.ctx, a, time.Minute)
	x.wantErr("after it was taken over", err, access.ErrKeyInUse)
	a.Status, a.Body = 200, "first"
	if err := x.Store.KeepAnswer(x.ctx, a); err != nil {
		x.Fatal(err)
	}
	x.now = x.now.Add(access.AnswerAge - time.Millisecond)
	x.wantAnswer(a)
	x.now = x.now.Add(time.Millisecond)
	x.beginAnswer(answerTo("bob", "k", "other")) // no clean-up has removed it yet
}

// contendBegin begins the same request many times at once and returns how many must process it.
func (x *fixture) contendBegin(a access.Answer, stores ...Store) int {
	x.Helper()
	return x.contend(8, func(s Store, i int) bool {
		if len(stores) > 0 {
			s = stores[i%len(stores)]
		}
		_, found, err := s.BeginAnswer(x.ctx, a, time.Minute)
		if err != nil && !errors.Is(err, access.ErrKeyInUse) || found {
			x.Errorf("BeginAnswer: found %t, error %v", found, err)
		}
		return err == nil
	})
}

func accessAnswerContends(x *fixture) {
	for i := range 5 {
		if n := x.contendBegin(answerTo("bob", fmt.Sprint("k", i), "request")); n != 1 {
			x.Errorf("%d callers process the request, want one", n)
		}
	}
}

func accessAnswerTakeContends(x *fixture) {
	a := answerTo("bob", "k", "request")
	start := time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC)
	at := func(d time.Duration) Store { return x.At(x.T, func() time.Time { return start.Add(d) }) }
	if _, found, err := at(0).BeginAnswer(x.ctx, a, time.Minute); err != nil || found {
		x.Fatalf("BeginAnswer: found %t, error %v", found, err)
	}
	if n := x.contendBegin(a, at(time.Minute), at(time.Minute)); n != 1 {
		x.Errorf("%d callers took over the request, want one", n)
	}
}

// accessAudit makes all changes and looks for the secrets.
func accessAudit(x *fixture) {
	before := x.lastAudit()
	t := x.token("deploy", func(p *access.NewTokenParams) { p.Queues = []string{"mail"} })
	for range 2 {
		if _, err := x.Store.RevokeToken(x.ctx, t.ID, "ann"); err != nil {
			x.Fatal(err)
		}
	}
	bob := x.user("bob")
	session := x.session(bob, "secret")
	for _, p := range []access.UserParams{
		{Name: "BOB", Role: access.Viewer, Queues: []string{"mail"}, By: "ann"},
		{Name: "bob", Role: access.Viewer, Queues: []string{"mail"}, By: "ann"}, // changes nothing
		{Name: "bob", Role: access.Viewer, Queues: []string{"mail"}, PasswordHash: "$argon2id$secret2", Subject: "s", By: "ann"},
	} {
		if _, err := x.Store.ChangeUser(x.ctx, p); err != nil {
			x.Fatal(err)
		}
	}
	for _, disabled := range []bool{true, true, false} {
		if _, err := x.Store.DisableUser(x.ctx, "bob", disabled, "ann"); err != nil {
			x.Fatal(err)
		}
	}
	id := fmt.Sprint(t.ID)
	want := [][4]string{
		{"tokens.create", "deploy", "", `{"expiresAt":null,"id":` + id + `,"queues":["mail"],"role":"viewer","start":"bw_abcdef"}`},
		{"tokens.revoke", "deploy", `{"revoked":false}`, `{"id":` + id + `,"revoked":true}`},
		{"users.create", "bob", "", `{"passwordSet":true,"queues":[],"role":"operator"}`},
		{"users.signin", "bob", "", fmt.Sprintf(`{"session":%d,"signedInBy":"password"}`, session.ID)},
		{"users.set", "bob", `{"queues":[],"role":"operator"}`, `{"queues":["mail"],"role":"viewer"}`},
		{"users.set", "bob", "", `{"passwordSet":true,"subject":"s"}`},
		{"users.disable", "bob", `{"disabled":false}`, `{"disabled":true}`},
		{"users.enable", "bob", `{"disabled":true}`, `{"disabled":false}`},
	}
	entries := x.auditSince(before)
	if len(entries) != len(want) {
		x.Fatalf("the changes wrote %s", asJSON(entries))
	}
	for i, e := range entries {
		by := "ann"
		if e.Action == "users.signin" {
			by = "bob"
		}
		if got := [4]string{e.Action, e.Target, string(e.Before), string(e.After)}; got != want[i] || e.Actor != by || e.Changed != 1 {
			x.Errorf("entry %d is %s, want %q", i, asJSON(e), want[i])
		}
		for _, secret := range []string{"argon2id", access.Hash("deploy"), access.Hash("secret")} {
			if strings.Contains(asJSON(e), secret) {
				x.Errorf("the entry %s has a secret", asJSON(e))
			}
		}
	}
}

func accessClean(y *fixture) {
	x := newTimed(y)
	clean := func(want int) {
		x.Helper()
		if n, err := x.Store.CleanAccess(x.ctx, 0); err != nil || n != want {
			x.Errorf("at %s CleanAccess = %d, %v, want %d", x.now, n, err, want)
		}
	}
	bob := x.user("bob")
	start := x.now
	x.token("for ever", nil)
	x.token("expires", func(p *access.NewTokenParams) { p.ExpiresIn = time.Hour })
	if _, err := x.Store.RevokeToken(x.ctx, x.token("revoked", nil).ID, "ann"); err != nil {
		x.Fatal(err)
	}
	x.session(bob, "secret")
	if err := x.Store.CreateLink(x.ctx, bob.ID, access.Hash("link"), 10*time.Minute); err != nil {
		x.Fatal(err)
	}
	x.beginAnswer(answerTo("bob", "unanswered", "request"))
	for _, c := range []struct {
		at   time.Duration
		what string
	}{
		{10 * time.Minute, "the link"}, {time.Hour, "the session"}, {access.AnswerAge, "the answer"}, {access.TokenAge, "the revoked token"},
		{access.TokenAge + time.Hour, "the expired token"},
	} {
		x.now = start.Add(c.at - time.Millisecond)
		clean(0)
		x.now = start.Add(c.at)
		clean(1)
	}
	x.now = x.now.AddDate(20, 0, 0)
	clean(0)
	if tokens, err := x.Store.Tokens(x.ctx); err != nil || len(tokens) != 1 || tokens[0].Name != "for ever" {
		x.Errorf("Tokens = %s, %v, want the one for ever", asJSON(tokens), err)
	}
	x.userNow("bob")
}

func accessCleanBatch(y *fixture) {
	x := newTimed(y)
	bob := x.user("bob")
	for i := range 5 {
		x.session(bob, fmt.Sprint(i))
		if i < 3 {
			x.beginAnswer(answerTo("bob", fmt.Sprint(i), "request"))
		}
	}
	x.now = x.now.AddDate(1, 0, 0)
	for _, want := range []int{4, 3, 1, 0} { // two of each, then one answer and two sessions, then a session
		if n, err := x.Store.CleanAccess(x.ctx, 2); err != nil || n != want {
			x.Errorf("CleanAccess of two = %d, %v, want %d", n, err, want)
		}
	}
}
