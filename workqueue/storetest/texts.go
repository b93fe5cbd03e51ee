package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

func textTests() []test {
	return []test{
		{"each text is stored once", textsOnce},
		{"the most recently used text comes first", textsOrder},
		{"found by a hash prefix", textsByHash},
		{"long and odd texts", textsOdd},
		{"many processes at the same time", textsContend},
		{"unused texts are removed", textsRemoved},
		{"an item keeps the hash of its run", textsOfItem},
		{"an attempt keeps the hash of its run", textsOfAttempts},
		{"a run of a system pipeline keeps its hash", textsOfRuns},
	}
}

// textOf returns a text of a pipeline.
func textOf(pipeline, text string) workqueue.PipelineText {
	sum := sha256.Sum256([]byte(text))
	return workqueue.PipelineText{Hash: hex.EncodeToString(sum[:]), Pipeline: pipeline, Text: text}
}

func (x *fixture) keep(texts ...workqueue.PipelineText) {
	x.Helper()
	if err := x.Store.KeepTexts(x.ctx, texts); err != nil {
		x.Fatal(err)
	}
}

// wantTexts compares the texts of a filter, in order, without their times.
func (x *fixture) wantTexts(f workqueue.TextFilter, want ...workqueue.PipelineText) {
	x.Helper()
	got, err := x.Store.Texts(x.ctx, f)
	if err != nil {
		x.Fatal(err)
	}
	same := slices.EqualFunc(got, want, func(a, b workqueue.PipelineText) bool {
		return a.Hash == b.Hash && a.Pipeline == b.Pipeline && a.Text == b.Text
	})
	if !same {
		x.Errorf("texts of %+v:\n%v\nwant\n%v", f, got, want)
	}
}

func textsOnce(x *fixture) {
	x.keep()
	x.wantTexts(workqueue.TextFilter{})
	a, b := textOf("import", "steps: []\n"), textOf("export", "steps: []\n")
	x.keep(a, b)
	first, err := x.Store.Texts(x.ctx, workqueue.TextFilter{Pipeline: "import"})
	if err != nil || len(first) != 1 {
		x.Fatalf("texts = %v, %v, want one", first, err)
	}
	x.keep(a, textOf("import", "steps: [1]\n"))
	x.wantTexts(workqueue.TextFilter{Pipeline: "export"}, b)
	x.wantTexts(workqueue.TextFilter{Pipeline: "unknown"})
	again, err := x.Store.Texts(x.ctx, workqueue.TextFilter{Hash: a.Hash, Pipeline: "import"})
	if err != nil || len(again) != 1 || !again[0].LoadedAt.Equal(first[0].LoadedAt) || again[0].UsedAt.Before(first[0].UsedAt) {
		x.Errorf("the text is %+v, %v; it was %+v; want the same LoadedAt and a later UsedAt", again, err, first[0])
	}
}

func textsOrder(x *fixture) {
	a, b, c := textOf("import", "a"), textOf("import", "b"), textOf("import", "c")
	x.keep(a)
	x.keep(b)
	x.keep(c)
	for i, t := range []workqueue.PipelineText{a, b, c} {
		x.exec(1, `UPDATE "BotPipelineTexts" SET "UsedAt" = '2020-01-0%d 00:00:00.000' WHERE "Hash" = '%s'`, i+1, t.Hash)
	}
	x.wantTexts(workqueue.TextFilter{Pipeline: "import"}, c, b, a)
	x.keep(a) // a user restored this text
	x.wantTexts(workqueue.TextFilter{Pipeline: "import", Limit: 2}, a, c)
}

func textsByHash(x *fixture) {
	a, b := textOf("import", "a"), textOf("import", "b")
	x.keep(a, b)
	x.wantTexts(workqueue.TextFilter{Hash: a.Hash[:8]}, a)
	x.wantTexts(workqueue.TextFilter{Hash: b.Hash}, b)
	x.wantTexts(workqueue.TextFilter{Hash: b.Hash[:63] + "x"})
	x.wantTexts(workqueue.TextFilter{Pipeline: "export", Hash: a.Hash[:8]})
}

func textsOdd(x *fixture) {
	var many []workqueue.PipelineText
	for i := range 450 { // more than one statement handles
		many = append(many, textOf(fmt.Sprintf("p%d", i), fmt.Sprintf("# %d \U0001F916 'quoted' \"twice\" @now ? :x\r\nsteps: []\n\n", i)))
	}
	many = append(many, textOf("long", fmt.Sprintf("%0300000d", 1)))
	x.keep(many...)
	x.wantTexts(workqueue.TextFilter{Pipeline: "p7"}, many[7])
	x.wantTexts(workqueue.TextFilter{Pipeline: "p449"}, many[449])
	x.wantTexts(workqueue.TextFilter{Pipeline: "long"}, many[450])
}

func textsContend(x *fixture) {
	const workers, texts = 4, 20
	var all []workqueue.PipelineText
	for i := range texts {
		all = append(all, textOf(fmt.Sprintf("p%02d", i), "steps: []\n"))
	}
	var wg sync.WaitGroup
	errs := make(chan error, workers)
	for range workers {
		wg.Go(func() { errs <- x.Store.KeepTexts(x.ctx, all) })
	}
	wg.Wait()
	for range workers {
		if err := <-errs; err != nil {
			x.Error(err)
		}
	}
	got, err := x.Store.Texts(x.ctx, workqueue.TextFilter{})
	if err != nil || len(got) != texts {
		x.Errorf("%d texts are stored, %v, want %d", len(got), err, texts)
	}
}

func textsRemoved(x *fixture) {
	old, older, used := textOf("import", "old"), textOf("import", "older"), textOf("import", "used")
	x.keep(old, older, used)
	for _, t := range []workqueue.PipelineText{old, older} {
		x.exec(1, `UPDATE "BotPipelineTexts" SET "UsedAt" = '2001-01-01 00:00:00.000' WHERE "Hash" = '%s'`, t.Hash)
	}
	for _, want := range []int{1, 1, 0} {
		if n, err := x.Store.RemoveTexts(x.ctx, 24*time.Hour, 1); err != nil || n != want {
			x.Errorf("RemoveTexts = %d, %v, want %d", n, err, want)
		}
	}
	x.wantTexts(workqueue.TextFilter{}, used)
}

// wantHash checks the hash of the text of an item's current or last run.
func (x *fixture) wantHash(id int64, want string) {
	x.Helper()
	if got := deref(x.show(id).PipelineHash); got != want {
		x.Errorf("item %d: the hash is %.8s, want %.8s", id, got, want)
	}
}

func textsOfItem(x *fixture) {
	one, two := textOf("import", "one").Hash, textOf("import", "two").Hash
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.wantHash(it.ID, "NULL")
	note := halfway(it)
	note.PipelineHash = one
	x.progress(w, note)
	x.wantHash(it.ID, one)
	x.progress(w, halfway(it)) // without a hash
	x.wantHash(it.ID, one)
	end := failure(it, workqueue.Ready)
	x.finish(w, end)
	x.wantHash(it.ID, one)
	x.dueNow(it.ID)
	x.Assign(w, it.ID)
	again := x.claim(w, 1)[0]
	x.wantHash(it.ID, "NULL")
	end = success(again)
	end.PipelineHash = two
	x.finish(w, end)
	x.wantHash(it.ID, two)
	if _, err := x.Store.ChangeItem(x.ctx, it.ID, workqueue.Change{Action: workqueue.Repeat}); err != nil {
		x.Fatal(err)
	}
	x.wantHash(it.ID, "NULL")
}

func textsOfAttempts(x *fixture) {
	one, two := textOf("import", "one").Hash, textOf("import", "two").Hash
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	end := failure(it, workqueue.Ready)
	end.PipelineHash = one
	x.finish(w, end)
	x.dueNow(it.ID)
	x.Assign(w, it.ID)
	again := x.claim(w, 1)[0]
	note := halfway(again)
	note.PipelineHash = two
	x.progress(w, note)
	x.expire(it.ID)
	x.rescue()
	var got []string
	for _, a := range x.attempts(it.ID) {
		got = append(got, a.Outcome, deref(a.PipelineHash))
	}
	if want := []string{"failed", one, "rescued", two}; !slices.Equal(got, want) {
		x.Errorf("attempts ran %.8q, want %.8q", got, want)
	}
}

func textsOfRuns(x *fixture) {
	w := x.Worker(WorkerOpts{})
	hash := textOf("nightly", "one").Hash
	for _, h := range []*string{nil, &hash} {
		if _, err := x.Store.StartRun(x.ctx, workqueue.PipelineRun{
			Pipeline: "nightly", Trigger: "cron", PipelineHash: h, WorkerID: &w.ID, Outcome: workqueue.RunRunning,
		}); err != nil {
			x.Fatal(err)
		}
	}
	runs, err := x.Store.Runs(x.ctx, workqueue.RunFilter{Pipeline: "nightly", Limit: 0})
	if err != nil || len(runs) != 2 || deref(runs[0].PipelineHash) != hash || runs[1].PipelineHash != nil {
		x.Errorf("runs = %+v, %v, want the latest with the hash and one without", runs, err)
	}
}
