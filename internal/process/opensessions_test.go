package process

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
)

type sessionStore struct {
	Store
	open []workqueue.RowHolder
}

func (s *sessionStore) OpenSessions(context.Context) ([]workqueue.RowHolder, error) {
	return s.open, nil
}

// A session that holds rows is logged once when it has held them for five seconds, and once when it
// ends; a short one never.
func TestOpenSessionsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		store := &sessionStore{}
		o := Options{Store: store, Log: zerolog.New(&log)}
		var g openSessions
		for _, c := range []struct {
			open []workqueue.RowHolder
			want string
		}{
			{nil, ""},
			{[]workqueue.RowHolder{{Session: 7, Transaction: "1", Program: "psql", Login: "ann", Open: time.Second}}, ""},
			{[]workqueue.RowHolder{{Session: 7, Transaction: "2", Program: "psql", Login: "ann", Open: 6 * time.Second, End: "KILL 7"}}, "session 7 (psql on the server's machine, login ann) holds rows of items in an open transaction, for 6s now"},
			{[]workqueue.RowHolder{{Session: 7, Transaction: "2", Open: 11 * time.Second}, {Session: 8, Transaction: "3"}}, ""}, // of 8 the age is unknown
			{[]workqueue.RowHolder{{Session: 8, Transaction: "3", Login: "bob"}}, "session 8"},
			{[]workqueue.RowHolder{{Session: 8, Transaction: "3"}}, ""},
			{nil, "the session no longer holds rows"},
		} {
			log.Reset()
			store.open = c.open
			g.check(t.Context(), o)
			if got := log.String(); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("with %v it logged %q, want %q", c.open, got, c.want)
			}
			time.Sleep(openSessionTime)
		}
	})
}
