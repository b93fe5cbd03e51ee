package workqueue

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// BatchPart names what one transaction of a command does. The database knows the name as
// unique and keeps it in the same transaction: whoever got no answer looks it up, or does
// the same again, and nothing is done twice. The zero value is no part of a batch.
type BatchPart struct {
	// Key is random and the same for all parts of a command: see NewBatchKey.
	Key string

	// Part counts the parts from 1 on. The part about a single item is minus its id.
	Part int64
}

// NewBatchKey returns a new key of 26 letters and digits.
func NewBatchKey() string { return strings.ToLower(rand.Text()) }

var batchKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{8,64}$`)

// CheckBatchKey checks a key that a person has given.
func CheckBatchKey(key string) error {
	if !batchKey.MatchString(key) {
		return fmt.Errorf("got %.80q, want the key of a batch: 8 to 64 Latin letters, digits, dots, hyphens and underscores", key)
	}
	return nil
}

// BatchAge is how long parts of batches are known.
const BatchAge = 7 * 24 * time.Hour

// The kinds of batches that are not changes of items; those are named like their Action.
const (
	BatchEnqueue = "enqueue"
	BatchPurge   = "purge"
)

// BatchRecord is what the database knows of one part of a batch.
type BatchRecord struct {
	Part      int64     `json:"part"`
	Kind      string    `json:"kind"`  // BatchEnqueue, BatchPurge, or an Action
	Items     int       `json:"items"` // that the part was about: those of the input, or those that it changed
	CreatedAt time.Time `json:"createdAt"`

	// Enqueued are the results of a part of BatchEnqueue, Clones those of Clone.
	Enqueued []Enqueued `json:"-"`
	Clones   []int64    `json:"-"`
}

// UnansweredError says that the answer to a commit was lost: whether the part was done
// is not known. The same call again is safe, and answers it.
type UnansweredError struct {
	BatchPart
	Err error
}

func (e *UnansweredError) Error() string { return e.Err.Error() }

func (e *UnansweredError) Unwrap() error { return e.Err }

// BatchMismatchError says that a key was used for something else before.
type BatchMismatchError struct {
	BatchPart
	Kind  string // of what is there
	Items int
}

func (e *BatchMismatchError) Error() string {
	return fmt.Sprintf("batch %s: its part %d was made before of other input (%s of %d items); hint: give the same input with the same flags, or another key",
		e.Key, e.Part, e.Kind, e.Items)
}
