package workqueue

import (
	"cmp"

	"botwork/workqueue/plan"
)

// CompareStarts orders assigned items as their worker starts them: the expedited first,
// then by priority (largest first), RunOrder (lowest first) and id.
func CompareStarts(a, b *Item) int {
	if a.Expedited() != b.Expedited() {
		if a.Expedited() {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.RunOrder, b.RunOrder), cmp.Compare(a.ID, b.ID))
}

// Expedited reports whether the pass that assigned the item put it before all others.
func (it *Item) Expedited() bool { return it.RunOrder < plan.ExpeditedBefore }
