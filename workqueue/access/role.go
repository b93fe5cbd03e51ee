package access

import (
	"fmt"
	"slices"
	"strings"
)

// Role is a set of operations that somebody may call.
type Role string

// The roles. Each of the first four includes those before it. A robot may only work on the
// items of its queues.
const (
	Viewer   Role = "viewer"   // reads everything but secrets
	Operator Role = "operator" // enqueues and changes items, pauses and drains
	Editor   Role = "editor"   // also changes pipelines, queues and workers' settings
	Admin    Role = "admin"    // also tokens, users, and what removes data for good
	Robot    Role = "robot"    // takes and finishes items of its queues
)

// people are the roles in ascending order.
var people = []Role{Viewer, Operator, Editor, Admin}

// Roles lists all roles.
func Roles() []Role { return append(slices.Clone(people), Robot) }

// ParseRole reads a role's name, in any case.
func ParseRole(text string) (Role, error) {
	if r := Role(strings.ToLower(text)); slices.Contains(Roles(), r) {
		return r, nil
	}
	return "", fmt.Errorf("role: got %q, want one of %v", text, Roles())
}

// Includes reports whether the role may do whatever the other may.
func (r Role) Includes(other Role) bool {
	if r == Robot || other == Robot {
		return r == other
	}
	return slices.Index(people, r) >= slices.Index(people, other) && slices.Contains(people, other)
}
