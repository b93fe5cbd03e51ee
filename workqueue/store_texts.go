package workqueue

import (
	"context"
	"time"
)

// TextStore keeps the exact texts that pipelines had, so that what an item, an
// attempt or a run ran can be read long after the file has changed. A text stands
// there once for each name that it had; the text of an inline pipeline stands in
// its item alone.
type TextStore interface {
	// KeepTexts keeps texts that are not there yet, and notes of all of them that a
	// worker has them now, by the database's clock, whatever LoadedAt and UsedAt of
	// what is given say. All are kept or none.
	KeepTexts(ctx context.Context, texts []PipelineText) error

	// Texts lists texts, the one that was used last first. It is empty for a name
	// that no worker ever had.
	Texts(ctx context.Context, f TextFilter) ([]PipelineText, error)
}

// TextUse is how often a worker notes of its texts that it has them: UsedAt is
// exact to it. LeastTextAge is the least age at which one may be removed.
const TextUse, LeastTextAge = 12 * time.Hour, 24 * time.Hour

// PipelineText is a row of BotPipelineTexts. Times are UTC by the database's
// clock.
type PipelineText struct {
	// Hash is the SHA-256 of Text in hexadecimal.
	Hash     string `json:"hash"`
	Pipeline string `json:"pipeline"`
	Text     string `json:"text"`

	// LoadedAt is when a worker first had it, UsedAt when one had it last.
	LoadedAt time.Time `json:"loadedAt"`
	UsedAt   time.Time `json:"usedAt"`
}

// TextFilter picks texts. The zero value of a field means any.
type TextFilter struct {
	Pipeline string

	// Hash is the hash or its beginning, in small letters.
	Hash string

	// Limit bounds a listing; 0 means 100.
	Limit int
}
