package handlers

import (
	"bytes"
	"strings"
)

// limitedBuffer keeps up to limit bytes and calls full once when more come.
// The rest is taken and dropped, so that the writer does not block before it
// is stopped. It does not embed the buffer, whose ReadFrom would know no limit.
type limitedBuffer struct {
	kept  bytes.Buffer
	limit int64
	full  func()

	overflowed bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if room := b.limit - int64(b.kept.Len()); int64(len(p)) > room {
		b.kept.Write(p[:room])
		if !b.overflowed {
			b.overflowed = true
			b.full()
		}
		return len(p), nil
	}
	return b.kept.Write(p)
}

// tailBuffer keeps the last limit bytes.
type tailBuffer struct {
	kept  []byte
	limit int
}

func (b *tailBuffer) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p...)
	if extra := len(b.kept) - b.limit; extra > 0 {
		b.kept = append(b.kept[:0], b.kept[extra:]...)
	}
	return len(p), nil
}

// String returns what was kept; a character that was cut is replaced.
func (b *tailBuffer) String() string { return strings.ToValidUTF8(string(b.kept), "�") }
