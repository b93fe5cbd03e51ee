//go:build linux

package winetest

import (
	"os/exec"
	"strings"
)

// testDoctor runs the doctor on the running service, as a different account than
// the service's, and runs its tests for Windows only.
func (m *machine) testDoctor() {
	const settings = `C:\work\botwork.yaml`
	r := m.botwork("doctor", "--config", settings).want(0,
		`the service "botwork" as LocalSystem`, "writable for LocalSystem (handlers.folders)", "used by process", "0 faults")
	if strings.Contains(r.stdout, "cannot be seen from here") {
		m.Errorf("the process of the service has no identity that can be checked:\n%s", r.stdout)
	}
	m.botwork("doctor", "--config", settings, "--service", "none").want(0, `no service "none" is installed`)
	m.botwork("doctor", "--config", `C:\work\nightly.yaml`).want(0, "the service reads another settings file, "+settings)

	cmd := exec.CommandContext(m.Context(), "go", "test", "-vet=off", "-exec", wine, "-run", "^TestWindows", "botwork/internal/doctor", "botwork/internal/procid")
	cmd.Env = append(windowsEnv(), m.env[len(m.env)-4:]...)
	if out, err := cmd.CombinedOutput(); err != nil {
		m.Errorf("go test -exec %s: %v\n%s", wine, err, out)
	}
}
