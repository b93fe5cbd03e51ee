package doctor

import (
	"context"
	"fmt"
	"path/filepath"

	"botwork/internal/database"
)

const mebibyte = 1 << 20

// Limits of free space, in bytes. SQLite needs room for a write-ahead log next to
// its file, and a full disk interrupts writes.
const (
	scarce = 1024 * mebibyte
	full   = 100 * mebibyte
)

// volume is the file system of a path. free is what this account may use.
type volume struct {
	id          string
	free, total uint64 // bytes
}

// disk reports the free space where this process writes, once for each volume.
func (d *Doctor) disk(context.Context) []Result {
	places := append([]string{}, d.o.Folders...)
	if file := database.SQLitePath(d.o.DSN); d.o.Driver == database.SQLite && file != "" {
		places = append(places, filepath.Dir(file))
	}
	if d.o.Log != "" {
		places = append(places, d.o.Log)
	}
	var results []Result
	seen := map[string]bool{}
	for _, place := range places {
		v, err := volumeOf(existing(place))
		if err != nil {
			results = append(results, Result{State: Warning, About: place, Found: "cannot determine the free space: " + err.Error(),
				Advice: "check it by hand"})
			continue
		}
		if seen[v.id] {
			continue
		}
		seen[v.id] = true
		r := evaluateSpace(v.free, v.total)
		r.About = place
		results = append(results, r)
	}
	if len(results) == 0 {
		return ok("the settings name no folder in which files are written")
	}
	return results
}

// Space is the free space of a volume.
type Space struct {
	Place       string // the first of the paths on it
	Free, Total uint64 // bytes
}

// String describes the space, such as "/var: 512 MiB free of 20 GiB".
func (s Space) String() string {
	return fmt.Sprintf("%s: %s free of %s", s.Place, inUnits(s.Free), inUnits(s.Total))
}

// FreeSpace returns the free space of the volumes of paths, each volume once. Paths whose volume is
// unknown are left out.
func FreeSpace(places []string) []Space {
	var list []Space
	seen := map[string]bool{}
	for _, place := range places {
		v, err := volumeOf(existing(place))
		if err != nil || seen[v.id] || v.total == 0 {
			continue
		}
		seen[v.id] = true
		list = append(list, Space{place, v.free, v.total})
	}
	return list
}

// evaluateSpace reports whether the free space is enough.
func evaluateSpace(free, total uint64) Result {
	found := fmt.Sprintf("%s free of %s", inUnits(free), inUnits(total))
	switch {
	case free < full:
		return Result{State: Fault, Found: found, Advice: "free space now: below 100 MiB, writes can fail at any time"}
	case free < scarce:
		return Result{State: Warning, Found: found, Advice: "free space, or move the folder to another disk: less than 1 GiB is left"}
	}
	return Result{State: OK, Found: found}
}

// inUnits returns a size in MiB or GiB.
func inUnits(n uint64) string {
	if n < 10*1024*mebibyte {
		return fmt.Sprintf("%d MiB", n/mebibyte)
	}
	return fmt.Sprintf("%d GiB", n/(1024*mebibyte))
}
