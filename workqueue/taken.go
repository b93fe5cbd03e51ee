package workqueue

import "context"

// Taken is what a pass has claimed for the worker that takes. It is in the database; where
// others wait while a statement writes, it is read only after that.
type Taken struct {
	items  []Item
	unread int
	read   func(ctx context.Context) ([]Item, error)
}

// TakenItems are items that have been read, in the order in which their worker starts them.
func TakenItems(items []Item) Taken { return Taken{items: items} }

// TakenKeys are so many items that read reads. What has lost its lease meanwhile is not
// among them.
func TakenKeys(items int, read func(ctx context.Context) ([]Item, error)) Taken {
	return Taken{unread: items, read: read}
}

// Len is how many items were claimed.
func (t Taken) Len() int { return len(t.items) + t.unread }

// Unread reports whether the items are still to be read.
func (t Taken) Unread() bool { return t.read != nil }

// Items are the items, the most urgent first, then as Claim orders them.
func (t Taken) Items(ctx context.Context) ([]Item, error) {
	if t.read == nil {
		return t.items, nil
	}
	return t.read(ctx)
}
