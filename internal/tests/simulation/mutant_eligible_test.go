package simulation

// eligibilityMutants remove, one by one, the conditions that make an item eligible from
// each statement that assigns, takes, claims or polls for such items. The conformance
// suite tests queues for robots: these histories have only one queue.
func eligibilityMutants() []mutant {
	var all []mutant
	for _, s := range []struct {
		file, alias string
		worker      bool // the statement checks the worker that gets the item
	}{
		{"assign", "", true}, {"reassign", "", true}, {"take", "", false}, {"claim", "c.", false},
		{"stranded", "i.", false}, {"assigned_items", "i.", false},
	} {
		add := func(what, old, new string) {
			all = append(all, mutant{s.file + "/" + what, s.file, change{old, new, 0}})
		}
		add("what is not due", "AND "+s.alias+"AvailableAt <= ", "AND '' <= ")
		add("what is deleted", "AND "+s.alias+"DeletedAt IS NULL", "AND 0 = 0")
		add("what is past its deadline", s.alias+"DeadlineAt IS NULL OR "+s.alias+"DeadlineAt >= ", "'9' >= ")
		// That an item's time to live ends between the pass that lists it and the statement that
		// takes it is too rare here; the conformance suite tries it.
		if s.file != "take" {
			add("what is past its time to live", "("+s.alias+"ExpiresAt IS NULL OR "+s.alias+"ExpiresAt >= ", "('9' >= ")
		}
		add("what is in a paused queue", "q.Paused = 1 OR ", "")
		if s.worker {
			add("to a worker that drains", " AND w.State = 'active'", "")
			add("to a worker whose lease is over", "w.LeaseExpiresAt >= ", "'9' >= ")
		}
	}
	return append(all,
		mutant{"withheld/forgets what was put off", "withheld", change{"i.AvailableAt > ", "'' > ", 0}},
		mutant{"withheld/forgets what was deleted", "withheld", change{"i.DeletedAt IS NOT NULL", "0 = 1", 0}},
		mutant{"withheld/forgets paused queues", "withheld", change{"q.Paused = 1 OR ", "", 0}},
		mutant{"release_withheld/does not repeat its condition", "release_withheld", change{"AND (AvailableAt", "AND (0 = 0 OR AvailableAt", 0}},
	)
}
