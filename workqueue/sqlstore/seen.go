package sqlstore

import (
	"context"

	"botwork/internal/database"
)

// recordEvery is how many ids of items a process gives between two heartbeats before it records
// them. It must be less than aheadBy: ids that are lost unrecorded are skipped.
const recordEvery = 100_000

// begin starts with what another process has recorded.
func (h *history) begin(seen database.Seen) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known, h.epoch, h.identity, h.lost = true, seen.Epoch, seen.Item, seen.Lost
	h.fromRecord = true
	h.sawItem(seen.Item)
	h.recorded.Store(seen.Item)
}

func (h *history) isKnown() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known
}

// unrecorded reports whether this process has seen so many ids since it recorded one.
func (h *history) unrecorded(ids int64) bool { return h.item.Load() >= h.recorded.Load()+ids }

// compareSeen compares the database with the record of this machine, and raises the epoch if it
// has lost transactions, before this process gives an id or a fence.
func (s *connection) compareSeen(ctx context.Context) error {
	seen := s.engine.seen()
	if seen == (database.Seen{}) {
		return nil
	}
	s.history.begin(seen)
	if err := (&epochs{s, &auditing{s}}).verifyHistory(ctx, 0, ""); err != nil {
		return err
	}
	s.recordSeen(s.lossHandled())
	return nil
}

// lossHandled reports whether the epoch was raised because of a loss that was recorded. The
// record of it must then be replaced, or the next process would raise the epoch again.
func (s *connection) lossHandled() bool {
	return s.engine.seen().Lost != "" && !s.history.unverified.Load()
}

// recordSeen records what this process has seen of the database.
func (s *connection) recordSeen(due bool) {
	if !due {
		return
	}
	s.history.mu.Lock()
	epoch, item := s.history.epoch, max(s.history.identity, s.history.item.Load())
	s.history.mu.Unlock()
	s.history.recorded.Store(item)
	s.engine.record(epoch, item)
}
