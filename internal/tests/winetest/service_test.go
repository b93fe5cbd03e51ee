//go:build linux

package winetest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"botwork/internal/testgroup"
	"botwork/internal/tests/testbuild"
	"botwork/pipelines/shipped"
)

// grace is how long running items may continue when the service stops.
const grace = time.Second

// TestWindowsService tests a service from the first check to its
// removal, with the commands that an administrator types.
func TestWindowsService(t *testing.T) {
	testgroup.Need(t, testgroup.Wine)
	began := time.Now()
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
	built := make(chan []byte, 1)
	go func() { built <- build(t, "botwork/cmd/botwork") }() // while Windows is installed
	m := newMachine(t)
	program := <-built
	if program == nil {
		t.FailNow()
	}
	t.Logf("Windows and the program: %s", time.Since(began).Round(100*time.Millisecond))
	m.write("botwork/botwork.exe", program)
	m.project()
	for _, chapter := range []struct {
		name string
		test func(m *machine)
	}{
		{"the code for Windows only", (*machine).testUnits},
		{"docs/windows.md", (*machine).testDocument},
		{"install", (*machine).testInstall},
		{"start, and an item from begin to end", (*machine).testStart},
		{"the doctor", (*machine).testDoctor},
		{"stop under load", (*machine).testStopUnderLoad},
		{"reboot", (*machine).testReboot},
		{"a second instance", (*machine).testSecond},
		{"a file with errors", (*machine).testMistakes},
		{"upgrade", func(m *machine) { m.testUpgrade(program) }},
		{"uninstall", (*machine).testUninstall},
	} {
		began := time.Now()
		ok := t.Run(chapter.name, func(t *testing.T) {
			here := *m
			here.T = t
			chapter.test(&here)
		})
		t.Logf("%s: %s", chapter.name, time.Since(began).Round(100*time.Millisecond))
		if !ok {
			m.showLog()
			break // the chapters build on each other
		}
	}
}

// showLog logs the service's log.
func (m *machine) showLog() {
	if data, err := os.ReadFile(m.path("work/logs/botwork.log")); err == nil {
		m.Logf("the service's log:\n%s", data)
	}
}

// project writes settings and pipelines to C:\work: the shipped pipelines, scheduled every
// second.
func (m *machine) project() {
	m.Helper()
	settings := fmt.Sprintf("worker: {capacity: 6, shutdownGrace: %s}\nhandlers: {folders: [data]}\n", grace)
	m.write("work/botwork.yaml", []byte(settings))
	m.write("work/nightly.yaml", []byte(settings))
	m.systemPipelines()
	m.write("work/pipelines/short.yaml", fmt.Appendf(nil, noted, "300ms"))
	m.write("work/pipelines/long.yaml", fmt.Appendf(nil, noted, "5m"))
	if err := os.MkdirAll(m.path("work/data"), 0o755); err != nil {
		m.Fatal(err)
	}
}

func (m *machine) systemPipelines() {
	m.Helper()
	for _, f := range shipped.Files() {
		m.write("work/pipelines/"+f.Name, bytes.Replace(f.Data, []byte(`cron: "* * * * *" `), []byte(`cron: "* * * * * *" `), 1))
	}
}

func (m *machine) testUnits() {
	for _, args := range [][]string{
		{"botwork/internal/logfile", "botwork/internal/service", "botwork/internal/programs"},
		{"botwork/handlers", "-run", "Batch"},
	} {
		cmd := exec.CommandContext(m.Context(), "go", append([]string{"test", "-exec", wine}, args...)...)
		cmd.Env = append(windowsEnv(), m.env[len(m.env)-4:]...)
		if out, err := cmd.CombinedOutput(); err != nil {
			m.Errorf("%s: %v\n%s", cmd, err, out)
		}
	}
}

func (m *machine) testInstall() {
	m.botwork("service", "status").want(4, "error 1060", "botwork service install")
	m.botwork("service", "uninstall", "--name", "PlugPlay").want(1, "the service belongs to another program")
	m.botwork("service", "run").want(2, "no service manager has started this program")
	m.botwork("service", "install", "--config", `C:\work\none.yaml`).want(2, "no such settings file")
	m.botwork("service", "install", "--config", `C:\work\botwork.yaml`, "--description", "It works.", "--restart-after", "5s,1m").
		want(0, "the service botwork is installed")
	m.botwork("service", "install", "--config", `C:\work\botwork.yaml`).want(1, "error 1073", "botwork service uninstall")
	m.botwork("service", "status").want(3, "stopped", "automatic", "LocalSystem", `C:\work\botwork.yaml`)
	m.run(m.command(wine, "reg", "query", source)).want(0, "EventCreate.exe", "TypesSupported")
}

// source is where the service's event source is registered.
const source = `HKLM\SYSTEM\CurrentControlSet\Services\EventLog\Application\botwork`

func (m *machine) testStart() {
	m.botwork("service", "start").want(0, "the service botwork is running")
	m.botwork("service", "start").want(0) // it is already running
	m.botwork("service", "status").want(0, "running")
	m.enqueue("short", 1, 2000)
	m.awaitEnded(1)
	m.await("the item is processed", func() bool { return m.states()[1] == "Processed" })
	m.botwork("service", "logs", "--lines", "50").want(0, "worker started", "item succeeded")
}

// testStopUnderLoad stops a service that has more work than it can finish in the grace period.
func (m *machine) testStopUnderLoad() {
	const long, short = 2, 80
	m.botwork("service", "stop").want(0)
	m.enqueue("long", long, 3000)
	m.enqueue("short", short, 2000)
	m.botwork("service", "start").want(0)
	m.awaitEnded(1 + 5)
	began := time.Now()
	m.botwork("service", "stop").want(0, "the service botwork is stopped")
	if took := time.Since(began); took > grace+10*time.Second {
		m.Errorf("the stop took %s, want little more than the grace of %s", took, grace)
	}
	m.botwork("service", "status").want(3, "stopped")
	ready, begun := m.wantNothingLost(1 + long + short)
	if begun != long || ready <= long {
		m.Errorf("%d items are ready, %d of them had begun; want the %d long ones released, and others released before they began", ready, begun, long)
	}
	m.Logf("after the stop %d items are ready, %d of them had begun", ready, begun)

	m.write("work/pipelines/long.yaml", fmt.Appendf(nil, noted, "200ms")) // they only had to run longer than the grace period
	m.botwork("service", "restart").want(0, "the service botwork is running")
	m.awaitEnded(1 + long + short)
	m.await("all items are processed", func() bool {
		for _, state := range m.states() {
			if state != "Processed" {
				return false
			}
		}
		return true
	})
	m.wantNothingLost(1 + long + short)
}

func (m *machine) testReboot() {
	m.reboot()
	m.await("the service runs by itself", func() bool { return m.botwork("service", "status").code == 0 })
	before := len(m.states())
	m.enqueue("short", 1, 2000)
	m.awaitEnded(before + 1)
}

// testSecond runs two services of one program, with one database.
func (m *machine) testSecond() {
	m.botwork("service", "install", "--name", "nightly", "--config", `C:\work\nightly.yaml`, "--manual").want(0, "`botwork service start --name nightly`")
	m.botwork("service", "start", "--name", "nightly").want(0, "the service nightly is running")
	m.botwork("service", "status", "--all").want(0, "botwork ", "nightly ")
	var workers []struct {
		Name  string `json:"name"`
		State string `json:"state"`
	}
	host := ""
	m.await("both workers are there", func() bool {
		workers = nil
		m.botwork("workers", "list", "--config", `C:\work\botwork.yaml`, "--output", "json").want(0).decode(&workers)
		host = ""
		for _, w := range workers {
			if !strings.HasSuffix(w.Name, "-nightly") {
				host = w.Name
			}
		}
		return len(workers) == 2 && host != ""
	})
	for _, w := range workers {
		if w.Name != host && w.Name != host+"-nightly" {
			m.Errorf("the workers are %v, want one with the host's name and one with that name followed by the service's", workers)
		}
	}
	m.botwork("service", "stop", "--name", "nightly").want(0)
	m.botwork("service", "status", "--name", "nightly").want(3, "manual")
	m.botwork("service", "status").want(0)
	m.botwork("service", "logs", "--name", "nightly").want(0, "worker stopped")
}

func (m *machine) testMistakes() {
	// With one broken file, the service starts without it.
	wrong := []byte("steps:\n  - handler: Nothing\n")
	m.write("work/pipelines/wrong.yaml", wrong)
	m.botwork("service", "start", "--name", "nightly").want(0)
	m.botwork("service", "stop", "--name", "nightly").want(0)
	m.botwork("service", "logs", "--name", "nightly").want(0, `C:\\work\\pipelines\\wrong.yaml:2:14: `)
	if err := os.Remove(m.path("work/pipelines/wrong.yaml")); err != nil {
		m.Fatal(err)
	}
	// Without a system pipeline, the service does not start.
	for _, f := range shipped.Files() {
		m.write("work/pipelines/"+f.Name, wrong)
	}
	m.botwork("service", "start", "--name", "nightly").want(1, "exit code 2", "botwork service logs")
	m.botwork("service", "status", "--name", "nightly").want(3, "failed", " 2 ")
	m.botwork("service", "logs", "--name", "nightly").want(0, `C:\\work\\pipelines\\ExecuteWorkQueue.yaml:2:14: `)
	m.systemPipelines()
}

// testUpgrade replaces the program with a working one, with two broken ones, and goes back.
func (m *machine) testUpgrade(program []byte) {
	in := func(name string) []byte { m.Helper(); return m.read("botwork/" + name) }
	// Bytes after the end of a program make a different file, but do not change the program.
	next := append(bytes.Clone(program), "another"...)
	m.write("new/next.exe", next)
	m.botwork("service", "upgrade", `C:\new\next.exe`, "--watch", "1s").want(0, "upgraded botwork")
	m.botwork("service", "status").want(0, "running")
	if !bytes.Equal(in("botwork.exe"), next) || !bytes.Equal(in("botwork.old.exe"), program) {
		m.Error("the new program is not installed, or the old one is not kept")
	}

	m.write("new/broken.exe", build(m.T, "botwork/internal/tests/winetest/testdata/broken"))
	m.botwork("service", "upgrade", `C:\new\broken.exe`, "--watch", "1s").want(1, "the new program does not start", "the old one is restored and runs")
	m.botwork("service", "status").want(0, "running")
	if !bytes.Equal(in("botwork.exe"), next) {
		m.Error("the previous program was not restored")
	}

	m.write("new/torn.exe", program[:len(program)/2])
	m.botwork("service", "upgrade", `C:\new\torn.exe`).want(1, "is not installed")
	m.botwork("service", "status").want(0, "running")

	// Like after a kill between the two renames: only the previous program exists.
	m.botwork("service", "stop").want(0)
	if err := os.Rename(m.path("botwork/botwork.exe"), m.path("botwork/botwork.old.exe")); err != nil {
		m.Fatal(err)
	}
	m.write("botwork/botwork.upgrade.json", []byte(`{"new": "?", "running": ["botwork"]}`))
	m.write("new/botwork.exe", program)
	m.run(m.command(wine, `C:\new\botwork.exe`, "service", "upgrade", `C:\new\botwork.exe`, "--watch", "1s")).
		want(0, "restored ", "upgraded botwork")
	m.botwork("service", "status").want(0, "running")
	if !bytes.Equal(in("botwork.exe"), program) || !bytes.Equal(in("botwork.old.exe"), next) {
		m.Error("the interrupted upgrade was not completed")
	}
	before := len(m.states())
	m.enqueue("short", 1, 2000)
	m.awaitEnded(before + 1)
}

func (m *machine) testUninstall() {
	m.botwork("service", "uninstall").want(0, "the service botwork was removed")
	m.botwork("service", "uninstall", "--name", "nightly").want(0)
	m.botwork("service", "status", "--all").want(4)
	m.botwork("service", "start").want(1, "error 1060")
	if r := m.run(m.command(wine, "reg", "query", source)); r.code == 0 {
		m.Errorf("the source of events is still registered:\n%s", r.stdout)
	}
	m.wantNothingLost(len(m.states()))
	if _, err := os.Stat(m.path("work/botwork.db")); err != nil {
		m.Error("the database was removed with the service:", err)
	}
}
