//go:build unix

package e2e

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"botwork/internal/faultproxy"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// batchProject is a project behind a proxy, and a way to enqueue lines of one tag.
type batchProject struct {
	*project
	proxy *faultproxy.Proxy
}

const batchLines = 2500

func eachBatchProject(t *testing.T, test func(x batchProject)) {
	eachServer(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x, proxy := behindProxy(t, e)
		proxy.Restore()
		test(batchProject{x, proxy})
	})
}

func (x batchProject) enqueue(tag string, more ...string) *program {
	cmd := command(x.T, x.dir, x.environ, append([]string{"enqueue", "-", "--pipeline", "hold", "--tag", tag}, more...)...)
	cmd.Stdin = strings.NewReader(strings.Repeat(`{"payload": {"until": "never"}}`+"\n", batchLines))
	return start(x.T, cmd)
}

// there counts the items of a tag, around the proxy.
func (x batchProject) there(tag string) int {
	x.Helper()
	found, err := x.store.Items(x.Context(), workqueue.ItemFilter{TagsAll: []string{tag}, Limit: 2 * batchLines})
	if err != nil {
		x.Fatal(err)
	}
	return len(found)
}

const lookingUp = "looking up what became of batch"

// The answer to a commit is lost, and the database answers again: the command finds out
// what became of the batch.
func TestEnqueueFindsOutWhatBecameOfItsBatches(t *testing.T) {
	eachBatchProject(t, func(x batchProject) {
		for nth := 1; nth <= 3; nth++ {
			tag := fmt.Sprint("batch-", nth)
			x.proxy.CutAnswerTo("enqueue", "commit", nth, faultproxy.Fault{})
			p := x.enqueue(tag)
			if code, n := p.wait(), x.there(tag); code != 0 || n != batchLines || !strings.Contains(p.output(), lookingUp) ||
				!strings.Contains(p.output(), fmt.Sprintf("%d items enqueued", batchLines)) {
				x.Errorf("the answer to commit %d was lost: exit code %d, %d items are there\n%s", nth, code, n, p.output())
			}
		}
		x.proxy.CutAnswerTo("enqueue", "commit", 1, faultproxy.Fault{})
		r := x.run("enqueue", "--pipeline", "hold", "--payload", `{"until": "never"}`, "--tag", "one")
		if r.want(0, lookingUp); x.there("one") != 1 {
			x.Errorf("%d items are there, want one", x.there("one"))
		}
		x.proxy.CutAnswerTo("cancel", "commit", 1, faultproxy.Fault{})
		r = x.run("items", "cancel", "--tag", "batch-1")
		if r.want(0, lookingUp); !strings.Contains(r.stdout, fmt.Sprintf("%d items cancelled", batchLines)) {
			x.Errorf("items cancel said: %s", r.stdout)
		}
		x.proxy.CutAnswerTo("clone", "commit", 1, faultproxy.Fault{})
		r = x.run("items", "clone", "--tag", "one")
		if r.want(0); strings.Count(r.stdout, "new item") != 1 || x.there("one") != 2 {
			x.Errorf("items clone said: %s%s; %d items are there, want 2", r.stdout, r.stderr, x.there("one"))
		}
		x.proxy.CutAnswerTo("purge", "commit", 1, faultproxy.Fault{})
		r = x.run("queues", "purge", "default", "--yes")
		if r.want(0, lookingUp); !strings.Contains(r.stdout, fmt.Sprintf("%d items removed", 3*batchLines+2)) {
			x.Errorf("queues purge said: %s", r.stdout)
		}
	})
}

// The answer is lost and the database stays away: the command says that it does not know.
func TestEnqueueSaysThatTheOutcomeIsUnknown(t *testing.T) {
	eachBatchProject(t, func(x batchProject) {
		x.proxy.CutAnswerTo("enqueue", "commit", 2, faultproxy.Reset())
		p := x.enqueue("lost")
		p.await(lookingUp, 1)
		p.signal(os.Interrupt)
		if code := p.wait(); code != 1 || !strings.Contains(p.output(),
			"at least 1000 of 2500 items are in the queue; whether the next 1000 (lines 1001 to 2000) are is unknown") {
			x.Errorf("exit code %d; it said:\n%s", code, p.output())
		}
		if n := x.there("lost"); n != 2000 {
			x.Errorf("%d items are there, want 2000: the commit was carried out", n)
		}
		x.proxy.Set(faultproxy.Fault{})
		key := toldKey.FindStringSubmatch(p.output())
		if key == nil {
			x.Fatal("it names no key")
		}
		if got := x.must("items", "batch", key[1]); !strings.Contains(got, "2000 items in the queue, in 2 parts") {
			x.Errorf("items batch: %s", got)
		}
		if p := x.enqueue("lost", "--batch", key[1]); p.wait() != 0 || x.there("lost") != batchLines {
			x.Errorf("again with its key: exit code %d, %d items are there\n%s", p.code(), x.there("lost"), p.output())
		}

		x.proxy.CutAnswerTo("enqueue", "commit", 1, faultproxy.Reset())
		p = start(x.T, command(x.T, x.dir, x.environ, "enqueue", "--pipeline", "hold", "--payload", `{"until": "never"}`, "--tag", "one"))
		p.await(lookingUp, 1)
		p.signal(os.Interrupt)
		if code := p.wait(); code != 1 || !strings.Contains(p.output(), "whether the item is in the queue is unknown") {
			x.Errorf("one item: exit code %d; it said:\n%s", code, p.output())
		}
		x.proxy.Set(faultproxy.Fault{})
	})
}

// told is what enqueue says of the items that are in the queue.
var (
	toldAll  = regexp.MustCompile(`(?m)^(\d+) items enqueued`)
	toldSome = regexp.MustCompile(`(at least )?(\d+) of \d+ items are in the queue`)
	toldKey  = regexp.MustCompile(`--batch ([a-z0-9]+)`)
)

// Wherever the answers of the database are cut, enqueue says what is true, and the same
// command with its batch key enqueues the rest, once.
func TestEnqueueSaysWhatIsTrueWhereverItIsCut(t *testing.T) {
	eachBatchProject(t, func(x batchProject) {
		before := x.proxy.Answered()
		if p := x.enqueue("first"); p.wait() != 0 || x.there("first") != batchLines {
			x.Fatalf("without a fault: exit code %d and %d items\n%s", p.code(), x.there("first"), p.output())
		}
		answer := int(x.proxy.Answered() - before)
		const cuts = 8
		for i := range cuts {
			tag, after := fmt.Sprint("cut-", i), answer*(i+1)/(cuts+1)
			x.proxy.Set(faultproxy.CutAnswer(after))
			p := x.enqueue(tag)
			code := p.wait()
			x.proxy.Set(faultproxy.Fault{})
			x.wantTrue(p.output(), code, tag)
		}
	})
}

// wantTrue compares what enqueue said with what is there, and goes on with its key.
func (x batchProject) wantTrue(said string, code int, tag string) {
	x.Helper()
	n := x.there(tag)
	all, some, key := toldAll.FindStringSubmatch(said), toldSome.FindStringSubmatch(said), toldKey.FindStringSubmatch(said)
	switch {
	case all != nil && some == nil:
		if all[1] != strconv.Itoa(n) || n != batchLines {
			x.Errorf("%s: %d items are there, and it said:\n%s", tag, n, said)
		}
	case some == nil: // it did not begin
		if n != 0 || code == 0 {
			x.Errorf("%s: exit code %d, %d items are there, and it said:\n%s", tag, code, n, said)
		}
	default:
		if least, _ := strconv.Atoi(some[2]); some[1] == "" && n != least || n < least || code == 0 || key == nil {
			x.Errorf("%s: exit code %d, %d items are there, and it said:\n%s", tag, code, n, said)
		} else if p := x.enqueue(tag, "--batch", key[1]); p.wait() != 0 || x.there(tag) != batchLines {
			x.Errorf("%s, again with its key: exit code %d and %d items\n%s", tag, p.code(), x.there(tag), p.output())
		}
	}
}
