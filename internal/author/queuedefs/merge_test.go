package queuedefs_test

import (
	"testing"

	"botwork/internal/author/queuedefs"
	"botwork/workqueue"
)

// Settings over the API have the effect that they have on the command line, whatever the queue has.
func TestMergeIsChange(t *testing.T) {
	queues := []workqueue.Queue{{Name: "erp"}}
	for _, settings := range [][]string{
		{"retry={as: copy, limit: 7, delay: 5s, maxDelay: 1h}", "limits={concurrency: 4, rate: 10/1m, perKey: {concurrency: 2, rate: 1/1s}}"},
		{"distribution={share: 3}", "keys={unique: queue, countDeleted: true}", "archive={maxAge: 3d, limit: 500}", "ttl=2h", "description=\"5\""},
		{"robots={public: false, deletesOnlyOwn: true, rights: {ann: read}}", "schemas={payload: {type: object}}", "retry.limit=2"},
	} {
		q, err := queuedefs.Change(workqueue.Queue{Name: "erp"}, settings)
		if err != nil {
			t.Fatal(err)
		}
		queues = append(queues, q)
	}
	for _, q := range queues {
		for _, settings := range [][]string{
			{"retry={limit: 3}"}, {"retry={}"}, {"retry="}, {"retry={as: same}"}, {"retry.limit=3"}, {"retry.delay=", "retry.limit=4"},
			{"limits={concurrency: 5}"}, {"limits={perKey: {rate: 2/1m}}"}, {"limits.perKey={concurrency: 1}"}, {"limits.perKey.rate=3/1s"}, {"limits={}"},
			{"distribution={share: 2}"}, {"distribution={mode: round-robin}"}, {"distribution.share="}, {"keys={unique: queue}"}, {"archive={limit: 3}"},
			{"ttl=7d"}, {"ttl="}, {"description=Orders <&>, all of them"}, {"description=\"7\""}, {"description="}, {"maxPayload=1MB"}, {"priorityOffset=-20"},
			{"robots={rights: {bob: read-write}}"}, {"robots.rights={}"}, {"robots.public=true"}, {"schemas={output: {type: string}}"}, {"payloads=hidden", "onExpiry=remove"},
		} {
			want, err := queuedefs.Change(q, settings)
			if err != nil {
				t.Errorf("Change(%q): %v", settings, err)
				continue
			}
			merged, err := queuedefs.Merge(q, settings)
			if err != nil {
				t.Errorf("Merge(%q): %v", settings, err)
				continue
			}
			got, err := queuedefs.Patch(q, merged)
			if err != nil || asJSON(t, got) != asJSON(t, want) {
				t.Errorf("%q of %s\nPatch  %s, %v\nChange %s", settings, asJSON(t, q), asJSON(t, got), err, asJSON(t, want))
			}
		}
	}
	if _, err := queuedefs.Merge(queues[0], []string{"tll=7d"}); err == nil {
		t.Error("Merge accepts an unknown key")
	}
}
