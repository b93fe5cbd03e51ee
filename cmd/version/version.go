// Package version is the command `botwork version`. It also provides the program's version to
// other commands.
package version

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/remote"
)

// The linker sets these for a release: -ldflags "-X botwork/cmd/version.version=1.2.3". After
// a plain `go build` they are empty, and the build information of Go is used.
var version, commit, date string

// Info is what `botwork version --output json` prints.
type Info struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Date     string `json:"date"` // of the commit, RFC 3339
	Go       string `json:"goVersion"`
	Platform string `json:"platform"`

	// Server is nil without --server.
	Server *remote.Version `json:"server,omitempty"`
}

func Current() Info {
	v := Info{
		Version: version, Commit: commit, Date: date,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = cmp.Or(v.Commit, s.Value)
			case "vcs.time":
				v.Date = cmp.Or(v.Date, s.Value)
			}
		}
	}
	v.Version = cmp.Or(v.Version, "dev")
	return v
}

// Command returns `botwork version`.
func Command(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program, and of the server",
		Long:    "Prints the version of this program. With --server it also prints the version of the\nserver, and the name and the role of the token: a way to try the connection.",
		Example: "  botwork version\n  botwork version --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		v := Current()
		if a.UsesServer() {
			err := a.WithServer(func(s *remote.Server) error {
				server, err := s.Version(cmd.Context())
				v.Server = &server
				return err
			})
			if err != nil {
				return err
			}
		}
		return a.Print(*output, v, func() {
			fmt.Fprintf(a.Stdout, "botwork %s", v.Version)
			if v.Commit != "" {
				fmt.Fprintf(a.Stdout, " (commit %.12s, %s)", v.Commit, v.Date)
			}
			fmt.Fprintf(a.Stdout, ", %s, %s\n", v.Go, v.Platform)
			if s := v.Server; s != nil {
				fmt.Fprintf(a.Stdout, "server %s: botwork %s; the token %q has the role %s\n", a.Server, s.Version, s.Caller, s.Role)
			}
		})
	}
	return cli.OverServer(cmd)
}
