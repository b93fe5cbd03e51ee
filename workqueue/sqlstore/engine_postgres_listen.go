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
	// listeningFor is how long other processes assume that this process listens, and
	// listeningEvery is how often it renews that.
	listeningFor, listeningEvery = time.Minute, 20 * time.Second

	// probeFor is how long a notice to this process itself may take.
	probeFor = 3 * time.Second

	// After a lost connection the listener reconnects after firstReconnect, then after twice
	// that, up to lastReconnect. It waits noNoticesWait if the connection does not deliver
	// notices.
	firstReconnect, lastReconnect, noNoticesWait = time.Second, 30 * time.Second, 10 * time.Minute
)

// errNoNotices reports that a connection does not deliver notices.
var errNoNotices = errors.New("notices do not arrive: a connection pooler that changes the connection with each transaction, " +
	"such as PgBouncer with pool_mode = transaction, does not deliver notices")

// listenForNotices receives the notices of other processes until ctx ends. It replaces a lost
// connection.
func (s *notices) listenForNotices(ctx context.Context, report func(workqueue.Notice), trouble func(error)) {
	wait, troubled := firstReconnect, false
	for ctx.Err() == nil {
		err := s.listenOnce(ctx, report, func() {
			if wait = firstReconnect; troubled {
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
		if errors.Is(err, errNoNotices) {
			wait = noNoticesWait
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		wait = min(2*wait, lastReconnect)
	}
}

// listenOnce listens on one connection, and calls works once a notice has arrived on it.
func (s *notices) listenOnce(ctx context.Context, report func(workqueue.Notice), works func()) error {
	connecting, cancel := context.WithTimeout(ctx, lastReconnect)
	defer cancel()
	l, err := database.ListenPostgres(connecting, s.dsn)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := s.recordListening(ctx); err != nil {
		return err
	}
	probe := "probe " + rand.Text()
	if _, err := s.notifyListeners(ctx, s.db, probe, nil); err != nil {
		return fmt.Errorf("notify: %w", database.Redact(err, s.dsn))
	}
	probed, until := false, time.Now().Add(probeFor)
	for {
		if time.Now().After(until) && probed {
			if err := s.recordListening(ctx); err != nil {
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
			// What was enqueued before has no notice for this process.
			report(workqueue.Notice{Band: workqueue.EveryPriority, Others: true})
		case payload == "" && !probed:
			return errNoNotices
		default:
			if n, ok := s.noticeOf(payload); ok {
				report(n)
			}
		}
	}
}

// recordListening records for other processes that this one listens for a while.
func (s *notices) recordListening(ctx context.Context) error {
	return s.retry(ctx, "record that this process listens", func() error {
		_, err := s.queries.exec(ctx, s.db, "listening", values{"seconds": int(listeningFor.Seconds())})
		return err
	})
}

// callersName is the sender of notices that are sent when a caller's transaction commits. No
// process has it, so that all of them read these notices: the one that sent it cannot know when
// the transaction commits.
const callersName = "transaction"

// soonWord ends the notice of items that soon become due.
const soonWord = "soon"

// payload encodes a notice: the sender, the band, and the workers or soonWord, if any.
func (*notices) payload(sender string, n workqueue.Notice) string {
	text := fmt.Appendf(nil, "%s %d %d", sender, n.Band.Min, n.Band.Max)
	if n.Soon {
		text = fmt.Appendf(text, " %s", soonWord)
	}
	for _, id := range n.Workers {
		text = fmt.Appendf(text, " %d", id)
	}
	return string(text)
}

// noticeOf decodes a notice of another process. It ignores what it cannot read: a later version
// may send other notices.
func (s *notices) noticeOf(payload string) (workqueue.Notice, bool) {
	words := strings.Fields(payload)
	soon := len(words) > 0 && words[len(words)-1] == soonWord
	if soon {
		words = words[:len(words)-1]
	}
	if len(words) < 3 || words[0] == s.name {
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
	return workqueue.Notice{Band: workqueue.Band{Min: int(numbers[0]), Max: int(numbers[1])}, Workers: numbers[2:], Soon: soon, Others: true}, true
}
