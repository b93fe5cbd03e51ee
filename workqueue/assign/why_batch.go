package assign

import (
	"fmt"
	"time"
)

// batch returns the reason of an item that waits for others of its batch; nil if it does not, or
// no longer.
func (w *why) batch() *Reason {
	it := w.item
	if it.BatchKey == nil || it.BatchMax == nil || it.BatchAtMostMs == nil || *it.BatchMax < 2 || it.ReleaseCount > 0 {
		return nil
	}
	at := it.AvailableAt.Add(time.Duration(*it.BatchAtMostMs) * time.Millisecond)
	if !w.now.Before(at) {
		return nil
	}
	return &Reason{
		Kind: WhyBatch, At: &at,
		Text: fmt.Sprintf("it waits for other items with the batch key %q: up to %d of them run together; it runs %s at the latest, if a slot is free", *it.BatchKey, *it.BatchMax, w.inText(at)),
	}
}
