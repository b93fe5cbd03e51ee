package workqueue

import "context"

// Claimed is the items that a pass has claimed for a worker. The claims are in the
// database. On engines where other writers wait while a statement writes, the items
// are read only afterwards.
type Claimed struct {
	items  []Item
	unread int
	read   func(ctx context.Context) ([]Item, error)
}

// ClaimedItems returns claimed items that have been read, in the order in which their
// worker starts them.
func ClaimedItems(items []Item) Claimed { return Claimed{items: items} }

// ClaimedUnread returns that many claimed items, which read reads later. An item that has
// lost its lease by then is not among them.
func ClaimedUnread(items int, read func(ctx context.Context) ([]Item, error)) Claimed {
	return Claimed{unread: items, read: read}
}

// Len returns how many items were claimed.
func (c Claimed) Len() int { return len(c.items) + c.unread }

// Unread reports whether the items are still to be read.
func (c Claimed) Unread() bool { return c.read != nil }

// Items returns the items, the most urgent first, in the order of LeaseStore.Claim.
func (c Claimed) Items(ctx context.Context) ([]Item, error) {
	if c.read == nil {
		return c.items, nil
	}
	return c.read(ctx)
}
