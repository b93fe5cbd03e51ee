package runner

// lanes are goroutines that run one item after another. They are reused because a new
// goroutine has a small stack, which would have to grow again for each item.
type lanes struct {
	next chan func()
	over chan struct{}
}

func newLanes() *lanes { return &lanes{next: make(chan func()), over: make(chan struct{})} }

// run runs work in a goroutine.
func (l *lanes) run(work func()) {
	select {
	case l.next <- work:
	default: // no lane is idle
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

// close ends idle lanes. Running work continues.
func (l *lanes) close() { close(l.over) }
