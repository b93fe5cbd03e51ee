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

// batchProject is a project behind a proxy, with a command that enqueues lines of one tag.
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

// there returns the number of items with a tag, read without the proxy.
func (x batchProject) there(tag string) int {
	x.Helper()
	found, err := x.store.Items(x.Context(), workqueue.ItemFilter{TagsAll: []string{tag}, Limit: 2 * batchLines})
	if err != nil {
		x.Fatal(err)
	}
	return len(found)
}

const lookingUp = "looking up what became of batch"

// The answer to a commit is lost, and the database is available again: the command checks
// whether the batch was committed.
func TestEnqueueChecksLostBatches(t *testing.T) {
	eachBatchProject(t, func(x batchProject) {
		for nth := 1; nth <= 3; nth++ {
			tag := fmt.Sprint("batch-", nth)
			x.proxy.TruncateResponseTo("enqueue", "commit", nth, faultproxy.Fault{})
			p := x.enqueue(tag)
			if code, n := p.wait(), x.there(tag); code != 0 || n != batchLines || !strings.Contains(p.String(), lookingUp) ||
				!strings.Contains(p.String(), fmt.Sprintf("%d items enqueued", batchLines)) {
				x.Errorf("the answer to commit %d was lost: exit code %d, %d items are there\n%s", nth, code, n, p.String())
			}
		}
		x.proxy.TruncateResponseTo("enqueue", "commit", 1, faultproxy.Fault{})
		r := x.run("enqueue", "--pipeline", "hold", "--payload", `{"until": "never"}`, "--tag", "one")
		if r.want(0, lookingUp); x.there("one") != 1 {
			x.Errorf("%d items exist, want 1", x.there("one"))
		}
		x.proxy.TruncateResponseTo("cancel", "commit", 1, faultproxy.Fault{})
		r = x.run("items", "cancel", "--tag", "batch-1")
		if r.want(0, lookingUp); !strings.Contains(r.stdout, fmt.Sprintf("%d items cancelled", batchLines)) {
			x.Errorf("items cancel printed: %s", r.stdout)
		}
		x.proxy.TruncateResponseTo("clone", "commit", 1, faultproxy.Fault{})
		r = x.run("items", "clone", "--tag", "one")
		if r.want(0); strings.Count(r.stdout, "new item") != 1 || x.there("one") != 2 {
			x.Errorf("items clone printed: %s%s; %d items exist, want 2", r.stdout, r.stderr, x.there("one"))
		}
		x.proxy.TruncateResponseTo("purge", "commit", 1, faultproxy.Fault{})
		r = x.run("queues", "purge", "default", "--yes")
		if r.want(0, lookingUp); !strings.Contains(r.stdout, fmt.Sprintf("%d items removed", 3*batchLines+2)) {
			x.Errorf("queues purge printed: %s", r.stdout)
		}
	})
}

// The answer is lost and the database remains unavailable: the outcome is unknown.
func TestEnqueueReportsUnknownOutcome(t *testing.T) {
	eachBatchProject(t, func(x batchProject) {
		x.proxy.TruncateResponseTo("enqueue", "commit", 2, faultproxy.Reset())
		p := x.enqueue("lost")
		p.await(lookingUp, 1)
		p.signal(os.Interrupt)
		if code := p.wait(); code != 1 || !strings.Contains(p.String(),
			"at least 1000 of 2500 items are in the queue; it is unknown whether the next 1000 (lines 1001 to 2000) are") {
			x.Errorf("exit code %d, output:\n%s", code, p.String())
		}
		if n := x.there("lost"); n != 2000 {
			x.Errorf("%d items exist, want 2000: the commit was executed", n)
		}
		x.proxy.Set(faultproxy.Fault{})
		key := keyPattern.FindStringSubmatch(p.String())
		if key == nil {
			x.Fatal("the output has no batch key")
		}
		if got := x.must("items", "batch", key[1]); !strings.Contains(got, "2000 items in the queue, in 2 parts") {
			x.Errorf("items batch: %s", got)
		}
		if p := x.enqueue("lost", "--batch", key[1]); p.wait() != 0 || x.there("lost") != batchLines {
			x.Errorf("again with its key: exit code %d, %d items exist\n%s", p.code(), x.there("lost"), p.String())
		}

		x.proxy.TruncateResponseTo("enqueue", "commit", 1, faultproxy.Reset())
		p = start(x.T, command(x.T, x.dir, x.environ, "enqueue", "--pipeline", "hold", "--payload", `{"until": "never"}`, "--tag", "one"))
		p.await(lookingUp, 1)
		p.signal(os.Interrupt)
		if code := p.wait(); code != 1 || !strings.Contains(p.String(), "it is unknown whether the item is in the queue") {
			x.Errorf("one item: exit code %d, output:\n%s", code, p.String())
		}
		x.proxy.Set(faultproxy.Fault{})
	})
}

// The patterns match the number of enqueued items and the batch key in the output of enqueue.
var (
	allPattern  = regexp.MustCompile(`(?m)^(\d+) items enqueued`)
	somePattern = regexp.MustCompile(`(at least )?(\d+) of \d+ items are in the queue`)
	keyPattern  = regexp.MustCompile(`--batch ([a-z0-9]+)`)
)

// Regardless of where the answers of the database are cut, the output of enqueue is correct,
// and the same command with its batch key enqueues the rest, once.
func TestEnqueueReportIsCorrectAtEveryFault(t *testing.T) {
	eachBatchProject(t, func(x batchProject) {
		before := x.proxy.ResponseBytes()
		if p := x.enqueue("first"); p.wait() != 0 || x.there("first") != batchLines {
			x.Fatalf("without a fault: exit code %d and %d items\n%s", p.code(), x.there("first"), p.String())
		}
		answer := int(x.proxy.ResponseBytes() - before)
		const cuts = 8
		for i := range cuts {
			tag, after := fmt.Sprint("cut-", i), answer*(i+1)/(cuts+1)
			x.proxy.Set(faultproxy.TruncateResponse(after))
			p := x.enqueue(tag)
			code := p.wait()
			x.proxy.Set(faultproxy.Fault{})
			x.wantTrue(p.String(), code, tag)
		}
	})
}

// wantTrue compares the output of enqueue with the items, and continues with its key.
func (x batchProject) wantTrue(output string, code int, tag string) {
	x.Helper()
	n := x.there(tag)
	all, some, key := allPattern.FindStringSubmatch(output), somePattern.FindStringSubmatch(output), keyPattern.FindStringSubmatch(output)
	switch {
	case all != nil && some == nil:
		if all[1] != strconv.Itoa(n) || n != batchLines {
			x.Errorf("%s: %d items exist, output:\n%s", tag, n, output)
		}
	case some == nil: // it has not started
		if n != 0 || code == 0 {
			x.Errorf("%s: exit code %d, %d items exist, output:\n%s", tag, code, n, output)
		}
	default:
		if least, _ := strconv.Atoi(some[2]); some[1] == "" && n != least || n < least || code == 0 || key == nil {
			x.Errorf("%s: exit code %d, %d items exist, output:\n%s", tag, code, n, output)
		} else if p := x.enqueue(tag, "--batch", key[1]); p.wait() != 0 || x.there(tag) != batchLines {
			x.Errorf("%s, again with its key: exit code %d and %d items\n%s", tag, p.code(), x.there(tag), p.String())
		}
	}
}
