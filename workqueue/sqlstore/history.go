package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"

	"botwork/workqueue"
)

// raiseTries is more than the rivals that can get in between a look and the next epoch.
const raiseTries = 10

// history is what this process remembers of the database. What the database does not
// remember any more, it has lost.
type history struct {
	unverified atomic.Bool  // a connection is new: it may lead to another server
	item       atomic.Int64 // the highest id of an item that was claimed or made here

	mu       sync.Mutex
	known    bool // the rest is set
	epoch    int64
	timeline string
	identity int64            // the latest id that an item was given
	beats    map[beater]int64 // the number of the latest heartbeat
	reported int64            // the epoch that a heartbeat has reported; before the first, the one that was found
	before   workqueue.Installation
	refused  []string
}

// beater is a worker's process.
type beater struct {
	worker   int64
	instance string
}

// sighting is what the database remembers.
type sighting struct {
	epoch             int64
	recorded, present string // timelines; "": not known
	identity, beats   sql.NullInt64
}

// sawItem notes the id of an item.
func (h *history) sawItem(id int64) {
	for {
		seen := h.item.Load()
		if id <= seen || h.item.CompareAndSwap(seen, id) {
			return
		}
	}
}

// beaten notes a heartbeat.
func (h *history) beaten(worker int64, instance string, number int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.beats == nil {
		h.beats = map[beater]int64{}
	}
	h.beats[beater{worker, instance}] = number
}

// contradiction says how the database has gone back behind what this process remembers;
// "" if it has not. A higher epoch means that another process has seen to it.
func (h *history) contradiction(b beater, x sighting) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case x.present != "" && x.recorded != "" && x.present != x.recorded:
		return fmt.Sprintf("the database is on timeline %s, and was on %s: a standby was promoted or a backup restored", x.present, x.recorded)
	case !h.known || x.epoch > h.epoch:
		return ""
	case x.epoch < h.epoch:
		return fmt.Sprintf("the database is in epoch %d, and was in %d", x.epoch, h.epoch)
	case x.identity.Valid && x.identity.Int64 < h.identity:
		return fmt.Sprintf("the latest item of the database is %d, and was %d", x.identity.Int64, h.identity)
	case x.beats.Valid && x.beats.Int64 < h.beats[b]:
		return fmt.Sprintf("the database has %d heartbeats of worker %d, and had %d", x.beats.Int64, b.worker, h.beats[b])
	}
	return ""
}

// remember takes what was seen for what is to be there from now on.
func (h *history) remember(x sighting) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.known {
		h.reported = x.epoch
	}
	if h.known && x.epoch != h.epoch {
		clear(h.beats) // those that are gone have been seen to
	}
	if h.reported == x.epoch {
		h.before = workqueue.Installation{Epoch: x.epoch, Timeline: x.recorded}
	}
	h.known, h.epoch, h.timeline, h.identity = true, x.epoch, x.recorded, x.identity.Int64
}

// report returns the epoch and timeline of before once after the epoch has been raised.
func (h *history) report() (before workqueue.Installation, refused []string, raised bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.known || h.reported == h.epoch {
		return before, nil, false
	}
	before, refused = h.before, h.refused
	h.reported, h.refused = h.epoch, nil
	h.before = workqueue.Installation{Epoch: h.epoch, Timeline: h.timeline}
	return before, refused, true
}

// greet is called with each new connection. A connection to a server with another history
// is not used before the epoch is raised.
func (s *Store) greet(ctx context.Context, ask func(query string, to ...any) error) error {
	if ask == nil {
		s.history.unverified.Store(true) // the next caller verifies
		return nil
	}
	var same bool
	err := ask(`SELECT e."Timeline" IS NOT DISTINCT FROM CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END
		FROM "BotInstallation" e`, &same)
	if err != nil || same {
		return nil // or the tables are not there yet, or the server has no such functions
	}
	return s.verifyOver(ctx, s.openPlain, beater{})
}

// verifyIfReconnected verifies the history where a new connection could not.
func (s *Store) verifyIfReconnected(ctx context.Context) {
	if !s.history.unverified.Swap(false) {
		return
	}
	if err := s.verifyHistory(ctx, 0, ""); err != nil {
		s.history.unverified.Store(true) // the caller's statement shows what is wrong
	}
}

// verifyHistory raises the epoch if the database has lost what this process remembers, or
// is on another timeline than it was.
func (s *Store) verifyHistory(ctx context.Context, worker int64, instance string) error {
	return s.verifyOver(ctx, func() (*sql.DB, func(), error) { return s.db, func() {}, nil }, beater{worker, instance})
}

// verifyOver does so over a pool of the caller's.
func (s *Store) verifyOver(ctx context.Context, open func() (*sql.DB, func(), error), b beater) error {
	db, end, err := open()
	if err != nil {
		return err
	}
	defer end()
	for range raiseTries {
		x, err := s.sight(ctx, db, b)
		if classify(err) == noSuchTableError {
			return nil // before the migration
		}
		if err != nil {
			return fmt.Errorf("look at the history of the database: %w", err)
		}
		if x.recorded == "" && x.present != "" {
			if _, err := s.queries.exec(ctx, db, "timeline_note", values{"timeline": x.present}); err != nil {
				return fmt.Errorf("record the timeline of the database: %w", err)
			}
			x.recorded = x.present
		}
		reason := s.history.contradiction(b, x)
		if reason == "" {
			s.history.remember(x)
			return nil
		}
		// If another process was quicker, the next look finds its epoch.
		if err := s.raiseEpoch(ctx, db, x, reason); err != nil {
			return err
		}
	}
	return errors.New("the epoch cannot be raised: BotInstallation does not keep it")
}

func (s *Store) sight(ctx context.Context, db *sql.DB, b beater) (x sighting, err error) {
	rows, err := s.queries.query(ctx, db, "history", values{"worker": b.worker, "instance": b.instance})
	if err != nil {
		return x, err
	}
	var recorded nullText
	if err := eachRow(rows, func() error { return rows.Scan(&x.epoch, &recorded, &x.identity, &x.beats) }); err != nil {
		return x, err
	}
	x.recorded = string(recorded)
	x.present, err = s.engine.timeline(ctx, s, db)
	return x, err
}

// refuses reports whether an error is a server's word that a statement cannot be executed,
// now or later.
func refuses(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code[:2] {
		case "0A", "42", "55": // not supported, not there or not allowed, not in this state
			return true
		}
	}
	ms, ok := errors.AsType[mssql.Error](err)
	return ok && ms.Class >= 14 && ms.Class <= 16 && classify(err) != transientError
}

// historyChange is what a heartbeat reports, of whose claims some were lost.
func (s *Store) historyChange(ctx context.Context, p workqueue.BeatParams, lost []int64) (*workqueue.HistoryChange, error) {
	behind, err := s.claimsBehind(ctx, p, lost)
	if err != nil {
		return nil, err
	}
	if behind > 0 {
		if err := s.raiseForClaims(ctx, p, behind); err != nil {
			return nil, err
		}
	}
	before, refused, raised := s.history.report()
	if !raised {
		return nil, nil
	}
	after, err := s.Installation(ctx)
	return &workqueue.HistoryChange{Before: before, After: after, LostClaims: behind, Refused: refused}, err
}

// claimsBehind counts the lost claims of which the database knows nothing.
func (s *Store) claimsBehind(ctx context.Context, p workqueue.BeatParams, lost []int64) (int, error) {
	if len(lost) == 0 {
		return 0, nil
	}
	gone := make(map[int64]bool, len(lost))
	for _, id := range lost {
		gone[id] = true
	}
	var refs []refRow
	for _, ref := range refRows(p.Held) {
		if gone[ref.ItemID] {
			refs = append(refs, ref)
		}
	}
	batch, err := jsonRows(refs)
	if err != nil {
		return 0, err
	}
	rows, err := s.queries.query(ctx, s.db, "fences_behind", values{"rows": batch})
	if err != nil {
		return 0, fmt.Errorf("look at the fences of lost claims: %w", err)
	}
	n := 0
	err = eachRow(rows, func() error { return rows.Scan(&n) })
	return n, err
}

// raiseForClaims raises the epoch because the database has lost claims, unless the present
// epoch was raised since they were made.
func (s *Store) raiseForClaims(ctx context.Context, p workqueue.BeatParams, behind int) error {
	highest := int64(0)
	for _, ref := range p.Held {
		highest = max(highest, ref.Fence)
	}
	x, err := s.sight(ctx, s.db, beater{p.WorkerID, p.InstanceID})
	if err != nil || x.epoch > highest/workqueue.FencesOfEpoch {
		return err
	}
	err = s.raiseEpoch(ctx, s.db, x, fmt.Sprintf("the database has smaller fences than worker %d holds, for %d items", p.WorkerID, behind))
	if err != nil {
		return err
	}
	return s.verifyHistory(ctx, p.WorkerID, p.InstanceID)
}
