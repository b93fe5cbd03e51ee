package runner

// lanes are goroutines that run one thing after the other. A new goroutine begins
// with a small stack, which every item would have to grow again; one that has run an
// item has room for the next.
type lanes struct {
	next chan func()
	over chan struct{}
}

func newLanes() *lanes { return &lanes{next: make(chan func()), over: make(chan struct{})} }

// run runs work beside its caller.
func (l *lanes) run(work func()) {
	select {
	case l.next <- work:
	default: // none is free at this moment
		go l.lane(work)
	}
}

func (l *lanes) lane(work func()) {
	for {
		work()
		select {
		case work = <-l.next:
		case <-l.over:
			return
		}
	}
}

// close lets the lanes end that have nothing to run. What still runs goes on.
func (l *lanes) close() { close(l.over) }
