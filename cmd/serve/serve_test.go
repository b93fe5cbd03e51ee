package serve_test

import (
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestServeRefuses(t *testing.T) {
	clitest.InProject(t)
	clitest.Do(t, "serve", "--listen", "0.0.0.0:0").WantFailure(t, cli.ExitUsage, "--listen", "clear text")
	clitest.Do(t, "serve", "--listen", "nowhere").WantFailure(t, cli.ExitUsage, "want a host and a port")
	clitest.Do(t, "serve", "now").WantFailure(t, cli.ExitUsage)
	clitest.WriteFile(t, "botwork.yaml", "http: off\n")
	clitest.Do(t, "serve").WantFailure(t, cli.ExitUsage, "switch the HTTP API off")
}
