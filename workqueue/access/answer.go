package access

import (
	"errors"
	"time"
)

// AnswerAge is how long the answer to a request with an Idempotency-Key is kept.
const AnswerAge = 24 * time.Hour

// MaxIdempotencyKey is the longest Idempotency-Key, in bytes.
const MaxIdempotencyKey = 200

// Answer is the answer to a request with an Idempotency-Key: a row of BotApiAnswers.
type Answer struct {
	// Caller and Key identify the request: keys of different callers never meet.
	Caller, Key string

	// RequestHash is the SHA-256 of the method, the path and the body.
	RequestHash string

	Status int    // 0: the request is still being processed
	Body   string // JSON

	At time.Time
}

// The errors of BeginAnswer.
var (
	// ErrKeyReused is returned for a key that was used for another request.
	ErrKeyReused = errors.New("the Idempotency-Key was used for another request")

	// ErrKeyInUse is returned while the first request with the key is processed.
	ErrKeyInUse = errors.New("the request with this Idempotency-Key is still being processed")
)
