package builtin

import (
	"io"
	"strings"
	"sync"
)

const (
	// tailSize is how many bytes of each output of a program are kept for the item's log.
	tailSize = 64 << 10

	// tailChunk is how much of one output is kept in one piece. A piece is dropped as a whole.
	tailChunk = 4 << 10
)

// outputTail keeps the last bytes of both outputs of a program in the order in which they
// were written.
type outputTail struct {
	changed func()

	mu     sync.Mutex
	chunks []outputChunk // the oldest first
	sizes  [2]int
	cut    bool
}

type outputChunk struct {
	stream int // 0: standard output, 1: standard error
	text   []byte
}

// stream returns the writer for an output; it never fails.
func (t *outputTail) stream(n int) io.Writer { return &outputStream{t, n} }

type outputStream struct {
	tail *outputTail
	n    int
}

func (s *outputStream) Write(p []byte) (int, error) {
	s.tail.add(s.n, p)
	s.tail.changed() // without the lock: it may be reading the text
	return len(p), nil
}

func (t *outputTail) add(stream int, p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if extra := len(p) - tailSize; extra > 0 {
		p, t.cut = p[extra:], true
	}
	for len(p) > 0 {
		last := len(t.chunks) - 1
		if last < 0 || t.chunks[last].stream != stream || len(t.chunks[last].text) >= tailChunk {
			t.chunks = append(t.chunks, outputChunk{stream: stream})
			last++
		}
		n := min(len(p), tailChunk-len(t.chunks[last].text))
		t.chunks[last].text = append(t.chunks[last].text, p[:n]...)
		t.sizes[stream] += n
		p = p[n:]
	}
	for t.sizes[stream] > tailSize {
		t.drop(stream)
	}
}

// drop shortens the oldest chunk of an output, or removes it.
func (t *outputTail) drop(stream int) {
	for i, c := range t.chunks {
		if c.stream != stream {
			continue
		}
		t.cut = true
		if extra := t.sizes[stream] - tailSize; extra < len(c.text) {
			t.chunks[i].text = c.text[extra:]
			t.sizes[stream] = tailSize
			return
		}
		t.sizes[stream] -= len(c.text)
		t.chunks = append(t.chunks[:i], t.chunks[i+1:]...)
		return
	}
}

// String returns the text, with a … before it if the start of an output is missing. Where an
// output follows an incomplete line of the other one, it begins a new line.
func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	if t.cut {
		b.WriteString(cutMark)
	}
	stream := 0
	for _, c := range t.chunks {
		if text := b.String(); c.stream != stream && text != "" && !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
		stream = c.stream
		b.Write(c.text)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(b.String(), "\uFFFD"), "\r\n", "\n")
}
