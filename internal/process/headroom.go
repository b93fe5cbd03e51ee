package process

import "sync"

// headroomBytes is how much the collector counts as in use beside what is.
const headroomBytes = 16 << 20

// headroom is memory that nobody touches, so that none of the machine's stands behind it.
// The collector runs when the heap has doubled, and that of a worker is so small, some 10 MB,
// that with items of a fraction of a millisecond it would run many times a second: that took
// up to two fifths of the worker's time. Counted with this, the heap grows by 26 MB before it
// runs. GOGC holds as ever, and a large heap is collected as without. The first process of
// a program reserves it: other commands have no use for it.
var headroom = sync.OnceValue(func() []byte { return make([]byte, headroomBytes) })
