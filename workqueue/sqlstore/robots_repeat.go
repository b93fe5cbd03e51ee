package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// endKey returns the key of the answer to the end of a checkout. Each checkout has a fence of its
// own.
func endKey(h workqueue.Hold) (caller, key string) {
	return "robot " + h.Robot, fmt.Sprintf("end of item %d, fence %d", h.ItemID, h.Fence)
}

// endHash identifies the request: a repeat has the same lock key and reports the same kind of end.
func endHash(doing string, h workqueue.Hold) string {
	return access.Hash(strings.Join([]string{doing, workqueue.LockKeyHash(h.LockKey)}, "\x00"))
}

// plainSuccess reports whether the item itself shows the end: a success that keeps the row. No
// answer is stored for it, so that the usual end costs nothing more.
func plainSuccess(f *workqueue.Finish) bool {
	return f.State == workqueue.Processed && f.Delete == "" && (f.Retain == nil || *f.Retain > 0)
}

// keepEnd stores the result of an end in its transaction, for a robot that repeats the call
// because it did not get the answer.
func (s *holds) keepEnd(ctx context.Context, on runner, doing string, h workqueue.Hold, ended workqueue.RobotEnded) error {
	body, err := json.Marshal(keptEnd{ended.State, ended.Copied, time.Duration(ended.RetryIn)})
	if err != nil {
		return err
	}
	caller, key := endKey(h)
	v := values{
		"key_hash": answerKey(caller, key), "caller": clean(clip(caller, nameLen)), "idempotency_key": clean(clip(key, nameLen)),
		"request_hash": endHash(doing, h), "now": s.nowArg(),
	}
	n, err := s.queries.exec(ctx, on, "answer_begin", v)
	if err != nil || n == 0 {
		return err
	}
	_, err = s.queries.exec(ctx, on, "answer_keep", values{
		"key_hash": v["key_hash"], "request_hash": v["request_hash"], "status": http.StatusOK, "body": string(body), "now": s.nowArg(),
	})
	return err
}

// keptEnd is a RobotEnded as it is stored.
type keptEnd struct {
	State   workqueue.State
	Copied  bool
	RetryIn time.Duration
}

// endUnknown reports whether the robot's checkout may have ended as reported, without a trace. It
// has none if the item is gone. If the item has gone on after a success, it has none either; all
// other ends of a checkout are among the item's attempts.
func (s *holds) endUnknown(ctx context.Context, tx *sql.Tx, doing string, h workqueue.Hold, item *workqueue.Item) (bool, error) {
	if item.ID == 0 {
		return true, nil
	}
	waits := item.State == workqueue.Ready || item.State == workqueue.Pending || item.State == workqueue.Assigned
	if doing != finishing || h.Fence > item.Fence || h.Fence == item.Fence && !waits {
		return false, nil
	}
	var attempts int64
	err := s.in(ctx, tx).Model(&attemptRecord{}).Where(map[string]any{"ItemId": item.ID, "Fence": h.Fence}).Count(&attempts).Error
	return attempts == 0, err
}

// repeatedEnd returns the result of an end that the robot has reported before. found is false if
// it has reported none, or another.
func (s *holds) repeatedEnd(ctx context.Context, on runner, doing string, h workqueue.Hold, item *workqueue.Item) (ended workqueue.RobotEnded, found bool, err error) {
	if doing == finishing && item != nil && item.State == workqueue.Processed && item.Fence == h.Fence && item.Robot != nil && *item.Robot == h.Robot {
		return workqueue.RobotEnded{State: workqueue.Processed}, true, nil
	}
	caller, key := endKey(h)
	rows, err := s.queries.query(ctx, on, "answer_read", values{"key_hash": answerKey(caller, key)})
	if err != nil {
		return ended, false, err
	}
	err = eachRow(rows, func() error {
		var hash, body string
		var status int
		var at database.Time
		if err := rows.Scan(&hash, &status, &body, &at); err != nil {
			return err
		}
		if hash != endHash(doing, h) || status != http.StatusOK {
			return nil
		}
		var kept keptEnd
		if err := json.Unmarshal([]byte(body), &kept); err != nil {
			return err
		}
		ended, found = workqueue.RobotEnded{State: kept.State, Copied: kept.Copied, RetryIn: workqueue.Duration(kept.RetryIn)}, true
		return nil
	})
	return ended, found, err
}
