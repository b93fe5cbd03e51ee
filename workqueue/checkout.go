package workqueue

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxCheckout bounds the items of one checkout, MaxCheckoutLease how long it
// may hold before it is extended.
const (
	MaxCheckout      = 1000
	MaxCheckoutLease = 24 * time.Hour
)

// Tries picks items by how often they failed before. With RetryCopy that is how
// many copies of the first one there are before them.
type Tries string

// The choices.
const (
	TriesNew         Tries = "new"          // never failed
	TriesFailedOnce  Tries = "failed-once"  // failed once
	TriesFailedAgain Tries = "failed-again" // failed twice or more
	TriesAny         Tries = "any"
)

// AllTries lists all choices.
func AllTries() []Tries { return []Tries{TriesNew, TriesFailedOnce, TriesFailedAgain, TriesAny} }

// ParseTries reads a choice's name, in any case.
func ParseTries(text string) (Tries, error) {
	if t := Tries(strings.ToLower(text)); slices.Contains(AllTries(), t) {
		return t, nil
	}
	return "", fmt.Errorf("tries: got %q, want new, failed-once, failed-again or any", text)
}

// CheckoutParams says who wants which items of a queue.
type CheckoutParams struct {
	Robot string
	Queue string // "" means DefaultQueue

	// Max bounds how many items; 0 means 1.
	Max int

	// Filter narrows what is taken; the zero filter takes what comes first.
	Filter CheckoutFilter

	// Lease is how long the items are the robot's alone, to the millisecond; 0
	// means as long as the queue says (Queue.CheckoutLease).
	Lease time.Duration
}

// CheckoutFilter picks among the items that could be taken. The zero value of a
// field means any. Everything is judged before an item is taken.
type CheckoutFilter struct {
	Key      string            // the natural key
	TagsAny  []string          // has one of these tags
	TagsAll  []string          // has all of these tags
	Metadata map[string]string // has all of these pairs; encrypted items have none
	Tries    []Tries           // is one of these
	IDs      []int64           // has one of these ids
}

// Checkout is what a robot has taken.
type Checkout struct {
	// LockKey is the secret by which the robot proves that it holds the items.
	// It is told once: the database keeps no more than its SHA-256. "" when
	// there are no items.
	LockKey string `json:"lockKey"`

	// Items are the first ones by priority (largest first), deadline (none last)
	// and id, in that order.
	Items []Item `json:"items"`
}

// MarshalJSON writes no items as an empty list.
func (c Checkout) MarshalJSON() ([]byte, error) {
	type plain Checkout
	if c.Items == nil {
		c.Items = []Item{}
	}
	return json.Marshal(plain(c))
}

// Hold is what a robot shows to do something with an item that it has taken.
type Hold struct {
	Robot   string
	ItemID  int64
	Fence   int64
	LockKey string
}

// Normal checks the parameters and fills what is open. All faults come at once.
func (p CheckoutParams) Normal() (CheckoutParams, error) {
	p.Queue = cmp.Or(p.Queue, DefaultQueue)
	p.Max = cmp.Or(p.Max, 1)
	var errs []error
	if err := CheckRobot(p.Robot); err != nil {
		errs = append(errs, err)
	}
	if p.Max < 1 || p.Max > MaxCheckout {
		errs = append(errs, fmt.Errorf("max: got %d, want 1 to %d", p.Max, MaxCheckout))
	}
	if p.Lease != 0 {
		if err := CheckCheckoutLease(p.Lease); err != nil {
			errs = append(errs, err)
		}
	}
	for _, t := range p.Filter.Tries {
		if _, err := ParseTries(string(t)); err != nil {
			errs = append(errs, err)
		}
	}
	return p, errors.Join(errs...)
}

// CheckCheckoutLease checks how long a checkout is to hold.
func CheckCheckoutLease(lease time.Duration) error {
	if lease < time.Millisecond || lease > MaxCheckoutLease {
		return fmt.Errorf("lease: got %v, want 1ms to %v", Duration(lease), Duration(MaxCheckoutLease))
	}
	return nil
}

// Wants tells whether the filter takes items that failed so often.
func (f *CheckoutFilter) Wants(failures int) bool {
	if len(f.Tries) == 0 || slices.Contains(f.Tries, TriesAny) {
		return true
	}
	return slices.Contains(f.Tries, [...]Tries{TriesNew, TriesFailedOnce, TriesFailedAgain}[min(max(failures, 0), 2)])
}

// NewLockKey makes a secret of 130 random bits.
func NewLockKey() string { return rand.Text() }

// LockKeyHash is what the database keeps of a lock key.
func LockKeyHash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// CheckedOut tells that a robot has taken the item and nobody has taken it back.
func (it *Item) CheckedOut() bool {
	return it.State == Blocked && it.WorkerID == nil && it.Robot != nil
}

// Hide takes out of an item what only the robot that holds it may read.
func (it *Item) Hide() { it.Payload, it.Output, it.Metadata = "", "", "" }
