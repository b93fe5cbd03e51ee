//go:build linux

package winetest

import (
	"os/exec"
	"strings"
)

// testDoctor lets the doctor look at the service that runs, as another account than
// the service's, and runs its tests for Windows alone.
func (m *machine) testDoctor() {
	const settings = `C:\work\botwork.yaml`
	r := m.botwork("doctor", "--config", settings).want(0,
		`the service "botwork" as LocalSystem`, "writable for LocalSystem (handlers.folders)", "works on this machine as process", "0 faults")
	if strings.Contains(r.stdout, "cannot be seen from here") {
		m.Errorf("the process of the service has no identity that can be judged:\n%s", r.stdout)
	}
	m.botwork("doctor", "--config", settings, "--service", "none").want(0, `no service "none" is installed`)
	m.botwork("doctor", "--config", `C:\work\nightly.yaml`).want(0, "the service reads another settings file, "+settings)

	cmd := exec.CommandContext(m.Context(), "go", "test", "-vet=off", "-exec", wine, "-run", "^TestWindows", "botwork/internal/doctor", "botwork/internal/procid")
	cmd.Env = append(windowsEnv(), m.env[len(m.env)-4:]...)
	if out, err := cmd.CombinedOutput(); err != nil {
		m.Errorf("go test -exec %s: %v\n%s", wine, err, out)
	}
}
