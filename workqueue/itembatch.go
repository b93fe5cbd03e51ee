package workqueue

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
)

// MaxBatchKey is the longest key of a batch, in UTF-16 units.
const MaxBatchKey = 200

// The bounds of the size of a batch: one statement claims all its items, and one writes their
// results.
const (
	LeastBatch = 2
	MostBatch  = 500
)

// ItemBatch makes an item wait for other items of its queue and pipeline with the same key, to
// run together with them in one run. It belongs to the item: a later change of its pipeline
// does not change it.
type ItemBatch struct {
	// Key is compared exactly, without surrounding space.
	Key string

	// Max is the most items of a run.
	Max int

	// Wait is how long the batch waits for another item after the latest one became due;
	// AtMost is how long its first item waits in all. A batch of Max items does not wait.
	Wait, AtMost time.Duration
}

// BatchKeyOf returns the key of a batch for a text: without surrounding space, and replaced by
// a hash if it is too long. "" means that the item runs alone.
func BatchKeyOf(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\x00", ""))
	if len(text) > MaxBatchKey && len(utf16.Encode([]rune(text))) > MaxBatchKey {
		sum := sha256.Sum256([]byte(text))
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	return text
}

// faults returns what is wrong with the batch of an item; it may be nil.
func (b *ItemBatch) faults() []error {
	if b == nil {
		return nil
	}
	var errs []error
	if b.Key == "" || BatchKeyOf(b.Key) != b.Key {
		errs = append(errs, fault("batch", "batch key: got %.40q, want a text of at most %d characters without surrounding space", b.Key, MaxBatchKey))
	}
	if err := CheckBatchSize(b.Max); err != nil {
		errs = append(errs, fault("batch", "batch: %v", err))
	}
	if b.Wait < 0 || b.AtMost < b.Wait {
		errs = append(errs, fault("batch", "batch: got the waits %v and at most %v, want 0s or more, and the second not shorter", Duration(b.Wait), Duration(b.AtMost)))
	}
	return errs
}

// CheckBatchSize checks the most items of a batch.
func CheckBatchSize(most int) error {
	if most < LeastBatch || most > MostBatch {
		return fmt.Errorf("got %d items, want %d to %d", most, LeastBatch, MostBatch)
	}
	return nil
}
