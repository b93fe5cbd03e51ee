package workqueue

// FirstDue cuts a list of all due items, in the order of AssignView.DueItems, to what that
// returns: the first limit items, and up to as many of the others that may be expedited.
// It reuses the list.
func FirstDue(list []DueItem, limit int) []DueItem {
	if len(list) <= limit {
		return list
	}
	first := list[:limit]
	for _, it := range list[limit:] {
		if it.Expedite && len(first) < 2*limit {
			it.Further = true
			first = append(first, it)
		}
	}
	return first
}
