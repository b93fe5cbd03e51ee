package workqueue

// GroupSnoozes divides attempts into groups for display: snoozes that follow each other with the
// same step and reason are one group, every other attempt is alone. same compares two of them; it
// returns false for attempts that are not snoozes.
func GroupSnoozes[T any](attempts []T, same func(a, b *T) bool) [][]T {
	var groups [][]T
	from := 0
	for i := range attempts {
		if next := i + 1; next == len(attempts) || !same(&attempts[i], &attempts[next]) {
			groups = append(groups, attempts[from:next])
			from = next
		}
	}
	return groups
}

// SameSnooze reports whether two attempts are snoozes of the same step for the same reason.
func (a *Attempt) SameSnooze(b *Attempt) bool {
	return a.Outcome == OutcomeSnoozed && b.Outcome == OutcomeSnoozed && sameText(a.Step, b.Step) && sameText(a.Reason, b.Reason)
}

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// OutcomeSnoozed is the Outcome of an attempt that ended with a snooze.
const OutcomeSnoozed = "snoozed"
