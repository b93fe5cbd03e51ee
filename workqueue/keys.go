package workqueue

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// UniqueKey is the text under which an item's natural key is unique, as the
// queue says: the SHA-256 of scope, queue and key, in hexadecimal. It is a hash
// because engines differ in what they take for the same text. "" where keys may
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

// ContentKey is the text under which an item is unique by what it does: the
// SHA-256 of queue, pipeline and payload, in hexadecimal. Spaces between the
// parts of the payload's JSON do not count, the order of its keys does.
func ContentKey(queue, pipeline string, payload JSONText) string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(payload)); err != nil {
		compact.Reset()
		compact.WriteString(string(payload)) // no JSON: as it stands
	}
	return hashOf("content", queue, pipeline, compact.String())
}

// hashOf joins parts so that no two lists of them make the same text.
func hashOf(parts ...string) string {
	var all strings.Builder
	for _, part := range parts {
		quoted, err := json.Marshal(part)
		if err != nil {
			quoted = []byte(part) // a string always has JSON
		}
		all.Write(quoted)
	}
	sum := sha256.Sum256([]byte(all.String()))
	return hex.EncodeToString(sum[:])
}
