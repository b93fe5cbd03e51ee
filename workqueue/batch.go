package workqueue

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// BatchPart names what one transaction of a command does. The name is unique in the
// database and is stored in the same transaction. A caller that got no answer can
// look it up, or repeat the call: nothing is done twice. The zero value is no part of
// a batch.
type BatchPart struct {
	// Key is random and the same for all parts of a command: see NewBatchKey.
	Key string

	// Part counts the parts from 1 on. The part for a single item is minus the item's
	// id.
	Part int64
}

// NewBatchKey returns a new key of 26 letters and digits.
func NewBatchKey() string { return strings.ToLower(rand.Text()) }

var batchKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{8,64}$`)

// CheckBatchKey checks a key from a user.
func CheckBatchKey(key string) error {
	if !batchKey.MatchString(key) {
		return fmt.Errorf("got %.80q, want the key of a batch: 8 to 64 Latin letters, digits, dots, hyphens and underscores", key)
	}
	return nil
}

// BatchAge is how long records of batches are kept.
const BatchAge = 7 * 24 * time.Hour

// The kinds of batches other than changes of items; the kind of a change is its
// Action.
const (
	BatchEnqueue = "enqueue"
	BatchPurge   = "purge"
	BatchRequest = "request" // of runs of a pipeline
)

// BatchRecord is the database's record of one part of a batch.
type BatchRecord struct {
	Part      int64     `json:"part"`
	Kind      string    `json:"kind"`  // BatchEnqueue, BatchPurge, BatchRequest, or an Action
	Items     int       `json:"items"` // the items of the input, or those that the part changed, or the requested runs
	CreatedAt time.Time `json:"createdAt"`

	// Enqueued are the results of a BatchEnqueue part, Clones those of a Clone part.
	Enqueued []Enqueued `json:"-"`
	Clones   []int64    `json:"-"`
}

// UnansweredError is returned when the answer to a commit was lost: it is unknown
// whether the part was done. Repeating the same call is safe and gives the answer.
type UnansweredError struct {
	BatchPart
	Err error
}

func (e *UnansweredError) Error() string { return e.Err.Error() }

func (e *UnansweredError) Unwrap() error { return e.Err }

// BatchMismatchError is returned when a key was used before for different input.
type BatchMismatchError struct {
	BatchPart
	Kind  string // of the existing part
	Items int
}

func (e *BatchMismatchError) Error() string {
	return fmt.Sprintf("batch %s: part %d was already used for different input (%s of %d items); hint: give the same input with the same flags, or another key",
		e.Key, e.Part, e.Kind, e.Items)
}
