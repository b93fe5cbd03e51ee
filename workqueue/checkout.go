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

// MaxCheckout bounds the items of one checkout, MaxCheckoutLease the time that it may
// be held before it is extended.
const (
	MaxCheckout      = 1000
	MaxCheckoutLease = 24 * time.Hour
)

// Tries selects items by the number of their earlier failures. With RetryCopy that is
// the number of earlier copies, counted from the first item.
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

// CheckoutParams are the parameters of Checkout.
type CheckoutParams struct {
	Robot string
	Queue string // "" means DefaultQueue

	// Max bounds the number of items; 0 means 1.
	Max int

	// Filter limits the checkout to some items; the zero filter selects all.
	Filter CheckoutFilter

	// Lease is how long the robot holds the items exclusively, to the millisecond; 0
	// means the queue's lease time (Queue.CheckoutLease).
	Lease time.Duration
}

// CheckoutFilter selects among the items that are available. The zero value of a
// field means any. All conditions are checked before an item is checked out.
type CheckoutFilter struct {
	Key      string            // the natural key
	TagsAny  []string          // has one of these tags
	TagsAll  []string          // has all of these tags
	Metadata map[string]string // has all of these pairs; encrypted items have none
	Tries    []Tries           // is one of these
	IDs      []int64           // has one of these ids
}

// Checkout is the items that a robot has checked out.
type Checkout struct {
	// LockKey is the secret that proves that the robot holds the items. It is
	// returned only once: the database keeps only its SHA-256. "" if there are no
	// items.
	LockKey string `json:"lockKey"`

	// Items are the first ones by priority (largest first), deadline (none last)
	// and id, in that order.
	Items []Item `json:"items"`
}

// MarshalJSON writes nil items as an empty list.
func (c Checkout) MarshalJSON() ([]byte, error) {
	type plain Checkout
	if c.Items == nil {
		c.Items = []Item{}
	}
	return json.Marshal(plain(c))
}

// Hold identifies an item that a robot has checked out, and proves that the robot
// holds it.
type Hold struct {
	Robot   string
	ItemID  int64
	Fence   int64
	LockKey string
}

// Normal checks the parameters and fills in defaults. It returns all faults at once.
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

// CheckCheckoutLease checks the lease time of a checkout.
func CheckCheckoutLease(lease time.Duration) error {
	if lease < time.Millisecond || lease > MaxCheckoutLease {
		return fmt.Errorf("lease: got %v, want 1ms to %v", Duration(lease), Duration(MaxCheckoutLease))
	}
	return nil
}

// Matches reports whether the filter selects items with this number of failures.
func (f *CheckoutFilter) Matches(failures int) bool {
	if len(f.Tries) == 0 || slices.Contains(f.Tries, TriesAny) {
		return true
	}
	return slices.Contains(f.Tries, [...]Tries{TriesNew, TriesFailedOnce, TriesFailedAgain}[min(max(failures, 0), 2)])
}

// NewLockKey returns a secret of 130 random bits.
func NewLockKey() string { return rand.Text() }

// LockKeyHash returns the hash of a lock key that the database stores.
func LockKeyHash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// CheckedOut reports whether a robot has checked the item out and still holds it.
func (it *Item) CheckedOut() bool {
	return it.State == Blocked && it.WorkerID == nil && it.Robot != nil
}

// Hide removes from an item what only the robot that holds it may read.
func (it *Item) Hide() { it.Payload, it.Output, it.Metadata = "", "", "" }
