package workqueue

// RescueResult counts the items that a rescue moved.
type RescueResult struct {
	Rescued  int `json:"rescued"`  // running items whose lease had expired
	Released int `json:"released"` // assigned items that were released
	Poisoned int `json:"poisoned"` // cancelled: too many workers died with them

	// Withheld are those of Released that do not wait for a worker now: they are not
	// due or deleted, or their queue is paused or for robots.
	Withheld int `json:"-"`

	// Band covers the priorities of the items that wait again, if Waits reports true.
	Band Band `json:"-"`
}

// Waits reports whether the rescue made items wait for assignment again.
func (r RescueResult) Waits() bool { return r.Rescued+r.Released > r.Poisoned+r.Withheld }

// Plus returns the sum of two rescues.
func (r RescueResult) Plus(other RescueResult) RescueResult {
	band := r.Band
	switch {
	case !r.Waits():
		band = other.Band
	case other.Waits():
		band = Band{Min: min(r.Band.Min, other.Band.Min), Max: max(r.Band.Max, other.Band.Max)}
	}
	return RescueResult{
		Rescued: r.Rescued + other.Rescued, Released: r.Released + other.Released, Poisoned: r.Poisoned + other.Poisoned,
		Withheld: r.Withheld + other.Withheld, Band: band,
	}
}

// Add counts one more item that a rescue moved.
func (r *RescueResult) Add(from, to State, priority int) {
	switch {
	case to == Cancelled:
	case !r.Waits():
		r.Band = Band{Min: priority, Max: priority}
	default:
		r.Band = Band{Min: min(r.Band.Min, priority), Max: max(r.Band.Max, priority)}
	}
	switch {
	case from == Assigned:
		r.Released++
	case to == Cancelled:
		r.Rescued++
		r.Poisoned++
	default:
		r.Rescued++
	}
}
