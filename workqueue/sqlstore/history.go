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

var _ workqueue.HistoryStore = (*epochs)(nil)

// epochs detects that the database has lost data, after a failover or a restore, and then
// raises the epoch, so that no fence is used twice.
type epochs struct {
	*connection
	*auditing
}

// raiseTries is more than the number of processes that can change the epoch between a read and
// the write.
const raiseTries = 10

// history is what this process has seen of the database. If the database lacks any of it, it
// has lost data.
type history struct {
	unverified atomic.Bool  // a connection is new: it may be to another server
	item       atomic.Int64 // the highest id of an item that was claimed or inserted here
	recorded   atomic.Int64 // the highest id of an item in the record of this machine

	mu       sync.Mutex
	known    bool // the fields below are set
	epoch    int64
	timeline string
	identity int64            // the latest item id that the database has assigned
	beats    map[beater]int64 // the count of heartbeats at the latest one
	reported int64            // the epoch that a heartbeat has reported; before the first one, the initial epoch
	before   workqueue.Installation
	refused  []string

	fromRecord bool   // the fields are from the record of this machine: the database was not read yet
	lost       string // why the database lacks transactions, according to the record; "": unknown
}

// beater is the process of a worker.
type beater struct {
	worker   int64
	instance string
}

// sighting is what the database has recorded.
type sighting struct {
	epoch             int64
	recorded, present string // timelines; "": unknown
	identity, beats   sql.NullInt64
}

// sawItem records the id of an item.
func (h *history) sawItem(id int64) {
	for {
		seen := h.item.Load()
		if id <= seen || h.item.CompareAndSwap(seen, id) {
			return
		}
	}
}

// beaten records a heartbeat.
func (h *history) beaten(worker int64, instance string, number int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.beats == nil {
		h.beats = map[beater]int64{}
	}
	h.beats[beater{worker, instance}] = number
}

// contradiction describes how the database contradicts what this process has seen, or returns
// "" if it does not. A higher epoch means that another process has already handled it.
func (h *history) contradiction(b beater, x sighting) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case x.present != "" && x.recorded != "" && x.present != x.recorded:
		return fmt.Sprintf("the database is on timeline %s, and was on %s: a standby was promoted or a backup restored", x.present, x.recorded)
	case !h.known || x.epoch > h.epoch:
		return ""
	case h.lost != "":
		return h.lost
	case x.epoch < h.epoch:
		return fmt.Sprintf("the database is in epoch %d, and was in %d", x.epoch, h.epoch)
	case x.identity.Valid && x.identity.Int64 < h.identity:
		return fmt.Sprintf("the latest item of the database is %d, and was %d", x.identity.Int64, h.identity)
	case x.beats.Valid && x.beats.Int64 < h.beats[b]:
		return fmt.Sprintf("the database has %d heartbeats of worker %d, and had %d", x.beats.Int64, b.worker, h.beats[b])
	}
	return ""
}

// contradicted prepares the report of an epoch that is about to be raised.
func (h *history) contradicted(x sighting) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fromRecord {
		h.fromRecord, h.reported, h.before = false, x.epoch, workqueue.Installation{Epoch: x.epoch, Timeline: x.recorded}
	}
}

// remember records what was seen.
func (h *history) remember(x sighting) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.known || h.fromRecord {
		h.reported = x.epoch
	}
	if h.known && x.epoch != h.epoch {
		clear(h.beats) // the lost heartbeats are handled
	}
	if h.reported == x.epoch {
		h.before = workqueue.Installation{Epoch: x.epoch, Timeline: x.recorded}
	}
	h.fromRecord, h.lost = false, ""
	h.known, h.epoch, h.timeline, h.identity = true, x.epoch, x.recorded, x.identity.Int64
}

// report returns, once after each new epoch, the epoch and timeline before it.
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

// greet is called with each new connection. A connection to a server with another timeline is
// not used until the epoch is raised.
func (s *epochs) greet(ctx context.Context, ask func(query string, to ...any) error) error {
	if ask == nil {
		s.history.unverified.Store(true) // the next caller verifies
		return nil
	}
	var same bool
	err := ask(`SELECT e."Timeline" IS NOT DISTINCT FROM CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END
		FROM "BotInstallation" e`, &same)
	if err != nil || same {
		return nil // also if the tables do not exist yet, or if the server has no such functions
	}
	return s.verifyOver(ctx, s.openPlain, beater{})
}

// verifyIfReconnected verifies the history if a new connection could not.
func (s *connection) verifyIfReconnected(ctx context.Context) {
	if !s.history.unverified.Swap(false) {
		return
	}
	if err := (&epochs{s, &auditing{s}}).verifyHistory(ctx, 0, ""); err != nil {
		s.history.unverified.Store(true) // the caller's statement reports the error
		return
	}
	s.recordSeen(s.lossHandled())
}

// verifyHistory raises the epoch if the database has lost data that this process has seen, or
// is on another timeline than before.
func (s *epochs) verifyHistory(ctx context.Context, worker int64, instance string) error {
	return s.verifyOver(ctx, func() (*sql.DB, func(), error) { return s.db, func() {}, nil }, beater{worker, instance})
}

// verifyOver verifies the history on a pool that the caller opens.
func (s *epochs) verifyOver(ctx context.Context, open func() (*sql.DB, func(), error), b beater) error {
	db, end, err := open()
	if err != nil {
		return err
	}
	defer end()
	for range raiseTries {
		x, err := s.sight(ctx, db, b)
		if classify(err) == noSuchTableError {
			s.history.unverified.Store(s.history.isKnown()) // verify when they exist
			return nil                                      // the tables do not exist yet
		}
		if err != nil {
			return fmt.Errorf("read the history of the database: %w", err)
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
		s.history.contradicted(x)
		// If another process was faster, the next read finds its epoch.
		if err := s.raiseEpoch(ctx, db, x, reason, false); err != nil {
			return err
		}
	}
	return errors.New("cannot raise the epoch: BotInstallation does not store it")
}

func (s *epochs) sight(ctx context.Context, db *sql.DB, b beater) (x sighting, err error) {
	rows, err := s.queries.query(ctx, db, "history", values{"worker": b.worker, "instance": b.instance})
	if err != nil {
		return x, err
	}
	var recorded nullText
	if err := eachRow(rows, func() error { return rows.Scan(&x.epoch, &recorded, &x.identity, &x.beats) }); err != nil {
		return x, err
	}
	x.recorded = string(recorded)
	x.present, err = s.engine.timeline(ctx, s.connection, db)
	return x, err
}

// refuses reports whether an error means that the server can never execute the statement, at
// least not for this login.
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

// historyChange returns what a heartbeat reports. lost are the claims that the heartbeat could
// not renew.
func (s *epochs) historyChange(ctx context.Context, p workqueue.BeatParams, lost []int64) (*workqueue.HistoryChange, error) {
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

// claimsBehind counts the lost claims that the database has no record of.
func (s *epochs) claimsBehind(ctx context.Context, p workqueue.BeatParams, lost []int64) (int, error) {
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
		return 0, fmt.Errorf("read the fences of lost claims: %w", err)
	}
	n := 0
	err = eachRow(rows, func() error { return rows.Scan(&n) })
	return n, err
}

// raiseForClaims raises the epoch because the database has lost claims, unless the current
// epoch was raised after they were made.
func (s *epochs) raiseForClaims(ctx context.Context, p workqueue.BeatParams, behind int) error {
	highest := int64(0)
	for _, ref := range p.Held {
		highest = max(highest, ref.Fence)
	}
	x, err := s.sight(ctx, s.db, beater{p.WorkerID, p.InstanceID})
	if err != nil || x.epoch > highest/workqueue.FencesOfEpoch {
		return err
	}
	err = s.raiseEpoch(ctx, s.db, x, fmt.Sprintf("the database has smaller fences than worker %d holds, for %d items", p.WorkerID, behind), false)
	if err != nil {
		return err
	}
	return s.verifyHistory(ctx, p.WorkerID, p.InstanceID)
}
