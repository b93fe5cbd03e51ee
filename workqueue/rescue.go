package workqueue

// RescueResult counts what a rescue moved.
type RescueResult struct {
	Rescued  int `json:"rescued"`  // running items whose lease had run out
	Released int `json:"released"` // assigned items that went back
	Poisoned int `json:"poisoned"` // cancelled: too many workers died with them

	// Withheld are those of Released that do not wait for a worker now: they are not
	// due or deleted, or their queue is paused or for robots.
	Withheld int `json:"-"`

	// Band spans the priorities of what waits again, when Waits tells that
	// something does.
	Band Band `json:"-"`
}

// Waits tells whether the rescue made items wait for assignment again.
func (r RescueResult) Waits() bool { return r.Rescued+r.Released > r.Poisoned+r.Withheld }

// Plus returns what two rescues moved.
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
