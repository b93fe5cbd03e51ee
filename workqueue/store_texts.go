package workqueue

import (
	"context"
	"time"
)

// TextStore keeps the exact texts that pipelines had, so that the text that an item,
// an attempt or a run ran can be read long after the file has changed. A text is
// stored once for each name that it had. The text of an inline pipeline is stored
// only in its item.
type TextStore interface {
	// KeepTexts stores the texts that are not stored yet, and records for all of them
	// that a worker has them now, by the database's clock; it ignores the given
	// LoadedAt and UsedAt. All are stored or none.
	KeepTexts(ctx context.Context, texts []PipelineText) error

	// Texts lists texts, the most recently used first. The list is empty for a name
	// that no worker ever had.
	Texts(ctx context.Context, f TextFilter) ([]PipelineText, error)
}

// TextUse is how often a worker records that it has its texts, and so the precision
// of UsedAt. LeastTextAge is the least age at which a text may be removed.
const TextUse, LeastTextAge = 12 * time.Hour, 24 * time.Hour

// PipelineText is a row of BotPipelineTexts. Times are UTC by the database's
// clock.
type PipelineText struct {
	// Hash is the SHA-256 of Text in hexadecimal.
	Hash     string `json:"hash"`
	Pipeline string `json:"pipeline"`
	Text     string `json:"text"`

	// LoadedAt is when a worker first had the text, UsedAt when a worker last had it.
	LoadedAt time.Time `json:"loadedAt"`
	UsedAt   time.Time `json:"usedAt"`
}

// TextFilter selects texts. The zero value of a field means any.
type TextFilter struct {
	Pipeline string

	// Hash is the hash or its beginning, in lower case.
	Hash string

	// Limit bounds the list; 0 means 100.
	Limit int
}
