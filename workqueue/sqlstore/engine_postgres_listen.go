package sqlstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

const (
	// listeningFor is how long other processes assume that there is a listener, and
	// listeningEvery how often that is renewed.
	listeningFor, listeningEvery = time.Minute, 20 * time.Second

	// probeFor is how long a notice to oneself may take.
	probeFor = 3 * time.Second

	// A listener that has lost its connection reconnects after firstReturn, then after
	// twice that, up to lastReturn; deafReturn is for a connection that carries no notices.
	firstReturn, lastReturn, deafReturn = time.Second, 30 * time.Second, 10 * time.Minute
)

// errDeaf says that a connection carries no notices.
var errDeaf = errors.New("what is notified does not arrive: a pooler that gives each transaction another connection, " +
	"such as PgBouncer with pool_mode = transaction, cannot carry notices")

// hearOthers receives the notices of other processes until ctx ends. It replaces a lost
// connection.
func (s *Store) hearOthers(ctx context.Context, tell func(workqueue.Notice), trouble func(error)) {
	wait, troubled := firstReturn, false
	for ctx.Err() == nil {
		err := s.hearOnce(ctx, tell, func() {
			if wait = firstReturn; troubled {
				trouble(nil)
			}
			troubled = false
		})
		if ctx.Err() != nil {
			return
		}
		if !troubled {
			trouble(err)
		}
		troubled = true
		if errors.Is(err, errDeaf) {
			wait = deafReturn
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		wait = min(2*wait, lastReturn)
	}
}

// hearOnce listens over one connection, and calls works when that carries notices.
func (s *Store) hearOnce(ctx context.Context, tell func(workqueue.Notice), works func()) error {
	connecting, cancel := context.WithTimeout(ctx, lastReturn)
	defer cancel()
	l, err := database.ListenPostgres(connecting, s.dsn)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := s.noteListening(ctx); err != nil {
		return err
	}
	probe := "probe " + rand.Text()
	if _, err := s.someoneListens(ctx, probe, nil); err != nil {
		return fmt.Errorf("notify: %w", database.Redact(err, s.dsn))
	}
	probed, until := false, time.Now().Add(probeFor)
	for {
		if time.Now().After(until) && probed {
			if err := s.noteListening(ctx); err != nil {
				return err
			}
			until = time.Now().Add(listeningEvery)
		}
		payload, err := l.Next(ctx, max(time.Until(until), time.Millisecond))
		switch {
		case err != nil:
			return err
		case payload == probe && !probed:
			probed, until = true, time.Now().Add(listeningEvery)
			works()
		case payload == "" && !probed:
			return errDeaf
		default:
			if n, ok := s.noticeOf(payload); ok {
				tell(n)
			}
		}
	}
}

// noteListening lets other processes know for a while that there is a listener.
func (s *Store) noteListening(ctx context.Context) error {
	return s.retry(ctx, "note that this process listens", func() error {
		_, err := s.queries.exec(ctx, s.db, "listening", values{"seconds": int(listeningFor.Seconds())})
		return err
	})
}

// payload writes a notice: who says so, the band, and the workers, if any.
func (s *Store) payload(n workqueue.Notice) string {
	text := fmt.Appendf(nil, "%s %d %d", s.notices.name, n.Band.Min, n.Band.Max)
	for _, id := range n.Workers {
		text = fmt.Appendf(text, " %d", id)
	}
	return string(text)
}

// noticeOf reads a notice of another process. What cannot be read is no notice: a
// later version may write others.
func (s *Store) noticeOf(payload string) (workqueue.Notice, bool) {
	words := strings.Fields(payload)
	if len(words) < 3 || words[0] == s.notices.name {
		return workqueue.Notice{}, false
	}
	var numbers []int64
	for _, word := range words[1:] {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return workqueue.Notice{}, false
		}
		numbers = append(numbers, n)
	}
	return workqueue.Notice{Band: workqueue.Band{Min: int(numbers[0]), Max: int(numbers[1])}, Workers: numbers[2:], Others: true}, true
}
