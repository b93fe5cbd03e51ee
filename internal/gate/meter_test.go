package gate

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The figures of this machine are only plausible: a test cannot know them.
func TestMachine(t *testing.T) {
	m := NewMachine()
	for range 2 {
		busy, err := m.CPU()
		if err != nil || busy < 0 || busy > 100.5 && len(m.group.folders) == 0 {
			t.Errorf("CPU = %v, %v, want a percentage", busy, err)
		}
		for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); { // some load to measure
		}
	}
	if free, err := m.MemoryFree(); err != nil || free < 1<<20 || free > 1<<50 {
		t.Errorf("MemoryFree = %d, %v", free, err)
	}
	dir := t.TempDir()
	for _, folder := range []string{dir, filepath.Join(dir, "not", "there", "yet")} {
		if free, err := m.DiskFree(folder); err != nil || free < 1 || free > 1<<60 {
			t.Errorf("DiskFree(%s) = %d, %v", folder, free, err)
		}
	}
}

// write makes a folder of control groups: files by their paths.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestContainer(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"self":                                        "1:name=systemd:/\n0::/system.slice/botwork.service\n",
		"memory.stat":                                 "inactive_file 1\n", // the root has no limit
		"system.slice/memory.max":                     "max\n",
		"system.slice/memory.current":                 "900000000\n",
		"system.slice/cpu.max":                        "max 100000\n",
		"system.slice/cpu.stat":                       "usage_usec 5000000\n",
		"system.slice/botwork.service/memory.max":     "536870912\n",
		"system.slice/botwork.service/memory.current": "500000000\n",
		"system.slice/botwork.service/memory.stat":    "anon 1\ninactive_file 100000000\n",
		"system.slice/botwork.service/cpu.max":        "150000 100000\n",
		"system.slice/botwork.service/cpu.stat":       "usage_usec 1000000\nuser_usec 1\n",
	})
	g := newCgroup(root, filepath.Join(root, "self"))
	if free, limited := g.memoryFree(); !limited || free != 536870912-500000000+100000000 {
		t.Errorf("memoryFree = %d, %v, want what is left of the service's limit, with the droppable cache", free, limited)
	}
	now := time.Now()
	if got := g.cpu(now); got != 0 {
		t.Errorf("the first cpu = %v, want 0: nothing to compare with", got)
	}
	write(t, root, map[string]string{"system.slice/botwork.service/cpu.stat": "usage_usec 3400000\n"})
	if got := g.cpu(now.Add(2 * time.Second)); got < 79.9 || got > 80.1 {
		t.Errorf("cpu = %v, want 80: 2.4 s of the 3 s that one and a half processors have in 2 s", got)
	}
}

func TestNoContainer(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"self": "4:memory:/x\n0::/\n"})
	for _, self := range []string{filepath.Join(root, "self"), filepath.Join(root, "missing")} {
		g := newCgroup(root, self)
		free, limited := g.memoryFree()
		if limited || g.cpu(time.Now()) != 0 || g.cpu(time.Now().Add(time.Second)) != 0 {
			t.Errorf("limits without a group: %d %v", free, limited)
		}
	}
}
