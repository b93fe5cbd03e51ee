package workqueue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// FoldQueueName returns what databases compare at most of a queue's name: names that differ
// in more than case and trailing spaces are different queues on every engine.
func FoldQueueName(name string) string { return strings.ToLower(strings.TrimRight(name, " ")) }

// UniqueKey returns the text under which an item's natural key is unique, by the key
// scope of the queue: the SHA-256 of scope, queue and key, in hexadecimal. It is a
// hash because engines differ in which texts they consider equal. "" if keys may
// repeat, or the item has none.
func (q *Queue) UniqueKey(naturalKey string) string {
	switch {
	case naturalKey == "":
		return ""
	case q.KeyScope == KeyScopeQueue:
		return hashOf("queue", q.Name, naturalKey)
	case q.KeyScope == KeyScopeGlobal:
		return hashOf("global", naturalKey)
	default:
		return ""
	}
}

// ContentKey returns the text under which an item is unique by its work: the SHA-256
// of queue, pipeline and payload, in hexadecimal. Spaces between the parts of the
// payload's JSON do not count; the order of its keys does.
func ContentKey(queue, pipeline string, payload JSONText) string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(payload)); err != nil {
		compact.Reset()
		compact.WriteString(string(payload)) // not JSON: unchanged
	}
	return hashOf("content", queue, pipeline, compact.String())
}

// hashOf hashes parts so that two different lists never give the same input.
func hashOf(parts ...string) string {
	var all strings.Builder
	for _, part := range parts {
		quoted, err := json.Marshal(part)
		if err != nil {
			quoted = []byte(part) // unreachable: a string always encodes
		}
		all.Write(quoted)
	}
	sum := sha256.Sum256([]byte(all.String()))
	return hex.EncodeToString(sum[:])
}
