package sqlstore

import (
	"context"
	"fmt"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// answerStore keeps the answers to requests with an Idempotency-Key.
type answerStore struct {
	*connection
}

// beginTries is more than the number of callers that can drop a key in between.
const beginTries = 10

// answerKey returns the hash that identifies a request. Texts would not do: SQL Server compares them
// without case.
func answerKey(caller, key string) string { return access.Hash(caller + "\x00" + key) }

// BeginAnswer implements access.AnswerStore.
func (s *answerStore) BeginAnswer(ctx context.Context, a access.Answer, patience time.Duration) (answer access.Answer, found bool, err error) {
	v := values{
		"key_hash": answerKey(a.Caller, a.Key), "caller": clean(clip(a.Caller, nameLen)), "idempotency_key": clean(clip(a.Key, nameLen)),
		"request_hash": a.RequestHash, "now": s.nowArg(),
	}
	for range beginTries {
		reserved, err := s.reserveAnswer(ctx, v, patience)
		if err != nil || reserved {
			return access.Answer{}, false, err
		}
		answer, found, err = s.readAnswer(ctx, &a)
		if err != nil {
			return access.Answer{}, false, err
		}
		switch {
		case !found: // the key was dropped in between
			continue
		case answer.RequestHash != a.RequestHash:
			return access.Answer{}, false, access.ErrKeyReused
		case answer.Status == 0:
			return access.Answer{}, false, access.ErrKeyInUse
		}
		return answer, true, nil
	}
	return access.Answer{}, false, access.ErrKeyInUse
}

// reserveAnswer reserves a key that is free, or that may be taken over.
func (s *answerStore) reserveAnswer(ctx context.Context, v values, patience time.Duration) (reserved bool, err error) {
	n, err := s.changeAnswer(ctx, "reserve an Idempotency-Key", "answer_begin", v)
	if classify(err) != uniqueError && (err != nil || n > 0) {
		return n > 0, err
	}
	n, err = s.changeAnswer(ctx, "take over an Idempotency-Key", "answer_take", values{
		"key_hash": v["key_hash"], "request_hash": v["request_hash"], "patience_ms": ms(patience), "age_ms": ms(access.AnswerAge), "now": v["now"],
	})
	return n > 0, err
}

func (s *answerStore) changeAnswer(ctx context.Context, doing, statement string, v values) (n int64, err error) {
	err = s.single(ctx, doing, func(on runner) error {
		n, err = s.queries.exec(ctx, on, statement, v)
		return err
	})
	return n, err
}

// readAnswer returns the row of a request's key.
func (s *answerStore) readAnswer(ctx context.Context, a *access.Answer) (answer access.Answer, found bool, err error) {
	err = s.retry(ctx, "read the answer of an Idempotency-Key", func() error {
		answer, found = access.Answer{Caller: a.Caller, Key: a.Key}, false
		rows, err := s.queries.query(ctx, s.db, "answer_read", values{"key_hash": answerKey(a.Caller, a.Key)})
		if err != nil {
			return err
		}
		var at database.Time
		err = eachRow(rows, func() error {
			found = true
			return rows.Scan(&answer.RequestHash, &answer.Status, &answer.Body, &at)
		})
		answer.At = at.Time
		return err
	})
	return answer, found, err
}

// KeepAnswer implements access.AnswerStore.
func (s *answerStore) KeepAnswer(ctx context.Context, a access.Answer) error {
	if a.Status == 0 {
		return fmt.Errorf("keep an answer: got the status 0, want that of an answer")
	}
	n, err := s.changeAnswer(ctx, "keep an answer", "answer_keep", values{
		"key_hash": answerKey(a.Caller, a.Key), "request_hash": a.RequestHash, "status": a.Status, "body": clean(a.Body), "now": s.nowArg(),
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("keep an answer: %w", workqueue.ErrNotFound)
	}
	return err
}

// DropAnswer implements access.AnswerStore.
func (s *answerStore) DropAnswer(ctx context.Context, caller, key string) error {
	_, err := s.changeAnswer(ctx, "free an Idempotency-Key", "answer_drop", values{"key_hash": answerKey(caller, key)})
	return err
}
