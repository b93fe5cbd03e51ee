package process

import "sync"

// headroomBytes is the size of the allocation that makes the garbage collector run less often.
const headroomBytes = 16 << 20

// headroom is memory that is never touched, so that it uses no physical memory. The garbage
// collector runs when the heap has doubled. The heap of a worker is small, about 10 MB, so
// with items of a fraction of a millisecond the collector would run many times a second; it
// used up to two fifths of the worker's time. With this allocation the heap grows by 26 MB
// before the collector runs. GOGC still applies, and large heaps are collected as usual. It
// is allocated by the first process of a program, since other commands do not need it.
var headroom = sync.OnceValue(func() []byte { return make([]byte, headroomBytes) })
