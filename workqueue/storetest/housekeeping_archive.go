package storetest

import (
	"fmt"
	"slices"
	"time"

	"botwork/internal/testgroup"
	"botwork/workqueue"
)

func housekeepArchived(x *fixture) {
	s := x.cleaned()
	x.defineThese(
		workqueue.Queue{Name: "none", QueueLife: workqueue.QueueLife{ArchiveAge: new(workqueue.Duration(0))}},
		workqueue.Queue{Name: "long", QueueLife: workqueue.QueueLife{ArchiveAge: new(workqueue.Duration(365 * 24 * time.Hour))}},
	)
	for _, queue := range []string{"default", "none", "long"} {
		x.row(queue+" old", queue, `"State" = 3`, `"FinishedAt" = `+ago(*days(90)))
		x.row(queue+" almost old", queue, `"State" = 3`, `"FinishedAt" = `+ago(*days(90)-time.Millisecond))
		x.row(queue+" completed", queue, `"State" = 2`, `"FinishedAt" = `+longAgo)
		x.row(queue+" deleted", queue, `"State" = 3`, `"FinishedAt" = `+longAgo, `"DeletedAt" = `+longAgo)
		x.row(queue+" no end", queue, `"State" = 3`)
	}
	x.row("long very old", "long", `"State" = 3`, `"FinishedAt" = `+ago(*days(365)))
	left := []string{"default old", "default almost old", "long old", "long almost old"}
	for _, queue := range []string{"default", "none", "long"} {
		left = append(left, queue+" completed", queue+" deleted", queue+" no end")
	}
	n, err := s.RemoveArchived(x.ctx, nil, 0)
	x.wantRemoved(n, err, 3)
	x.wantLeft(left...)
	n, err = s.RemoveArchived(x.ctx, days(90), 0)
	x.wantRemoved(n, err, 1)
	x.wantLeft(left[1:]...)
}

// housekeepArchive checks a limit with which an error by one is likely.
func housekeepArchive(x *fixture) {
	keep, half := testgroup.Cases(2000, 10_000), testgroup.Cases(1<<11, 1<<13)
	x.row("x", "default", `"State" = 3`, `"FinishedAt" = `+ago(time.Hour))
	x.several(half, `"IntegrationConfig", "State", "FinishedAt"`)
	x.exec(int64(half), `INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State", "FinishedAt")
		SELECT "IntegrationConfig", "State", %s FROM "BotWorkQueueItems"`, ago(2*time.Hour)) // larger ids, but archived earlier
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Limit: 2 * half})
	if err != nil {
		x.Fatal(err)
	}
	slices.SortFunc(items, func(a, b workqueue.Item) int {
		if c := b.FinishedAt.Compare(*a.FinishedAt); c != 0 {
			return c
		}
		return int(b.ID - a.ID)
	})
	want := idsOf(items[:keep])
	slices.Sort(want)
	removed := x.drainBatches(500, func() (int, error) { return x.Store.TrimArchives(x.ctx, &keep, 0) })
	items, err = x.Store.Items(x.ctx, workqueue.ItemFilter{Limit: 2 * half})
	if err != nil {
		x.Fatal(err)
	}
	got := idsOf(items)
	slices.Sort(got)
	if removed != 2*half-keep || !slices.Equal(got, want) {
		x.Errorf("removed %d items and kept %d, want %d removed and the %d that were archived last kept", removed, len(got), 2*half-keep, keep)
	}
}

func housekeepArchives(x *fixture) {
	x.defineThese(
		workqueue.Queue{Name: "empty", QueueLife: workqueue.QueueLife{ArchiveLimit: new(0)}},
		workqueue.Queue{Name: "many", QueueLife: workqueue.QueueLife{ArchiveLimit: new(5)}},
	)
	for _, queue := range []string{"default", "empty", "many"} {
		for i := range 4 {
			x.row(fmt.Sprint(queue, " ", i), queue, `"State" = 3`, `"FinishedAt" = `+ago(time.Duration(i)*time.Hour))
		}
		x.row(queue+" deleted", queue, `"State" = 3`, `"FinishedAt" = `+longAgo, `"DeletedAt" = `+longAgo)
		x.row(queue+" completed", queue, `"State" = 2`, `"FinishedAt" = `+longAgo)
	}
	x.row("many no end", "many", `"State" = 3`) // counts as the oldest
	x.row("default no end", "default", `"State" = 3`)
	left := []string{"many no end", "many 0", "many 1", "many 2", "many 3", "default no end", "default 3", "default 2", "default 1", "default 0"}
	for _, queue := range []string{"default", "empty", "many"} {
		left = append(left, queue+" deleted", queue+" completed")
	}
	n, err := x.Store.TrimArchives(x.ctx, nil, 0)
	x.wantRemoved(n, err, 4)
	x.wantLeft(left...)
	n, err = x.Store.TrimArchives(x.ctx, new(2), 0)
	x.wantRemoved(n, err, 3)
	x.wantLeft(slices.Concat(left[:5], left[8:])...)
	x.exec(1, `UPDATE "BotQueues" SET "ArchiveLimit" = 4 WHERE "Name" = 'many'`) // a change by hand applies immediately
	n, err = x.Store.TrimArchives(x.ctx, nil, 0)
	x.wantRemoved(n, err, 1)
	x.wantLeft(slices.Concat(left[1:5], left[8:])...)
}
