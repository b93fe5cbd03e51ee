package access

import "slices"

// Kind is how a caller has identified itself.
type Kind string

// The kinds.
const (
	ByToken   Kind = "token"
	BySession Kind = "session"
)

// Principal is who calls the API or opens a page.
type Principal struct {
	Name      string // of the token or the user; a robot works under this name
	Kind      Kind
	TokenID   int64 // with ByToken
	SessionID int64 // with BySession
	Role      Role
	Queues    []string // that the caller is bound to; none: all
}

// MayProgram reports whether the caller may send what runs with the rights of the workers, if the
// server accepts it at all: an editor who is not bound to queues. What such an editor sends is in
// no queue: it reaches whatever a worker reaches.
func (p *Principal) MayProgram() bool { return p.Role.Includes(Editor) && len(p.Queues) == 0 }

// MayQueue reports whether the caller may see and use a queue.
func (p *Principal) MayQueue(queue string) bool {
	return len(p.Queues) == 0 || slices.Contains(p.Queues, queue)
}
