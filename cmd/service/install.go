package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/config"
	"botwork/internal/database"
	"botwork/internal/service"
)

const serviceInstallDoc = `Registers a service that starts with the system, and starts none. The settings file is
--config, or botwork.yaml in the working folder; it has to be there and without
errors, and its path is kept as an absolute one.

On Windows the service works as LocalSystem unless --account names another:
LocalService, NetworkService, NT SERVICE\NAME (an account of the service's own),
DOMAIN\name$ (a managed one), or an account with a password. That comes from a file or
an environment variable. For the event source, the delayed start and similar settings, only
a warning is printed when the system refuses them.

On Linux a unit of systemd is written to /etc/systemd/system. It works as the user
botwork unless --account names another; the user has to be there. It may write only
to its own temporary folder, the folders that the settings name for writing, and
those of --writable. --print shows the unit and installs nothing.`

// installation holds the flags.
type installation struct {
	spec                      service.Spec
	restartAfter              string
	passwordFile, passwordEnv string
	print                     bool
}

func (a *command) serviceInstallCommand() *cobra.Command {
	var in installation
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Register the service",
		Long:  serviceInstallDoc,
		Example: `  botwork service install --config C:\botwork\botwork.yaml
  botwork service install --name nightly --config D:\nightly\botwork.yaml --account "NT SERVICE\nightly"
  botwork service install --account CORP\svc-botwork --password-file C:\secret\password.txt
  sudo botwork service install --config /etc/botwork/botwork.yaml
  botwork service install --print --executable /opt/botwork/botwork --config /etc/botwork/botwork.yaml`,
		Args: cli.NoArguments,
	}
	name := nameFlag(cmd)
	flags := cmd.Flags()
	s := &in.spec
	flags.StringVar(&s.DisplayName, "display-name", "", "the service's display `NAME` (default Botwork, followed by --name)")
	flags.StringVar(&s.Description, "description", "Runs queued work for bots.", "a `TEXT` that says what the service does")
	flags.StringVar(&s.Account, "account", "", "the `ACCOUNT` that the service works as")
	flags.StringVar(&in.passwordFile, "password-file", "", "the `FILE` with the account's password, on Windows")
	flags.StringVar(&in.passwordEnv, "password-env", "", "the environment `VARIABLE` with the account's password, on Windows")
	flags.BoolVar(&s.Manual, "manual", false, "do not start the service with the system")
	flags.BoolVar(&s.DelayedStart, "delayed-start", false, "start the service a while after the system, on Windows")
	flags.StringVar(&in.restartAfter, "restart-after", "5s,1m,5m", "the `WAITS` before the service is started again that failed: one after each failure, the last for all that follow; systemd takes the first; none leaves it")
	flags.StringSliceVar(&s.DependsOn, "depends-on", nil, "`SERVICES` that have to run before")
	flags.StringSliceVar(&s.Writable, "writable", nil, "more `FOLDERS` that the service may write, on Linux")
	flags.StringVar(&s.Program, "executable", "", "the `PROGRAM` that the service runs (default this one)")
	flags.BoolVar(&in.print, "print", false, "print the unit of systemd and install nothing, on Linux")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		in.spec.Name = *name
		if err := a.complete(&in); err != nil {
			return err
		}
		if in.print {
			fmt.Fprint(a.Stdout, service.Unit(in.spec))
			return nil
		}
		return a.withManager(*name, func(m service.Manager) error {
			warnings, err := m.Install(cmd.Context(), in.spec)
			a.warnAll(warnings)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "the service %s is installed; `botwork service start%s` starts it\n", *name, nameArgument(*name))
			return nil
		})
	}
	return cmd
}

// nameArgument is what a command line needs to mean the service.
func nameArgument(name string) string {
	if name == config.ServiceName {
		return ""
	}
	return " --name " + name
}

// complete makes a whole of what the flags say.
func (a *command) complete(in *installation) (err error) {
	s := &in.spec
	if err := service.CheckName(s.Name); err != nil {
		return &cli.UsageError{Message: "--name: " + err.Error()}
	}
	if err := in.checkSystem(); err != nil {
		return err
	}
	if s.Account == "" && runtime.GOOS != "windows" {
		s.Account = config.ServiceName
	}
	if s.DisplayName == "" {
		s.DisplayName = titleOf(s.Name)
	}
	if s.RestartAfter, err = waits(in.restartAfter); err != nil {
		return err
	}
	if err := a.completeConfig(in); err != nil {
		return err
	}
	if s.Program == "" {
		if s.Program, err = os.Executable(); err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
	}
	if !filepath.IsAbs(s.Program) {
		return cli.Usagef("--executable: got %q, want an absolute path", s.Program)
	}
	if in.print {
		return nil
	}
	return a.completeAccount(in)
}

// checkSystem refuses what this system does not know.
func (in *installation) checkSystem() error {
	windows := runtime.GOOS == "windows"
	for _, f := range []struct {
		flag    string
		given   bool
		foreign bool
	}{
		{"--delayed-start", in.spec.DelayedStart, !windows},
		{"--password-file", in.passwordFile != "", !windows},
		{"--password-env", in.passwordEnv != "", !windows},
		{"--writable", len(in.spec.Writable) > 0, windows},
		{"--print", in.print, windows},
	} {
		if f.given && f.foreign {
			return cli.Usagef("%s is not known on %s", f.flag, runtime.GOOS)
		}
	}
	if in.spec.DelayedStart && in.spec.Manual {
		return cli.Usagef("got --delayed-start and --manual, want one of them")
	}
	return nil
}

// completeConfig reads the settings, which define how long a stop takes and what is written. What
// is printed may be for another machine, without them.
func (a *command) completeConfig(in *installation) error {
	s := &in.spec
	var err error
	if a.ConfigFile != "" {
		if a.ConfigFile, err = filepath.Abs(a.ConfigFile); err != nil {
			return err
		}
	}
	if in.print && a.ConfigFile != "" {
		if _, err := os.Stat(a.ConfigFile); errors.Is(err, fs.ErrNotExist) {
			a.Config = config.Default()
			a.Config.File = a.ConfigFile
			a.Config.Database.DSN = config.DSN{}
		}
	}
	if a.Config.File == "" {
		if err := a.LoadConfig(); err != nil {
			return err
		}
	}
	if a.Config.File == "" {
		return &cli.UsageError{Message: "there is no settings file here", Hint: "name one with --config; `botwork init` writes one"}
	}
	s.Config = a.Config.File
	s.StopWithin = a.Config.Worker.StopIn() + time.Minute
	s.Writable = distinct(append(s.Writable, a.written()...))
	return nil
}

// written are the folders that a worker with these settings writes.
func (a *command) written() []string {
	folders := append([]string{}, a.Config.Handlers.Folders...)
	if a.Config.Database.Driver == database.SQLite {
		file := strings.TrimPrefix(a.Config.Database.DSN.Reveal(), "file:")
		file, _, _ = strings.Cut(file, "?")
		if file == "" { // of settings that are not here
			file = a.Config.File
		}
		if filepath.IsAbs(file) {
			folders = append(folders, filepath.Dir(file))
		}
	}
	if a.Config.Log.File.Path != "" {
		folders = append(folders, filepath.Dir(a.Config.Log.File.Path))
	}
	return folders
}

// completeAccount finds the account and its password.
func (a *command) completeAccount(in *installation) error {
	s := &in.spec
	if runtime.GOOS != "windows" {
		if _, err := user.Lookup(s.Account); err != nil {
			return &cli.UsageError{Message: fmt.Sprintf("--account: there is no user %q here", s.Account),
				Hint: fmt.Sprintf("make one: useradd --system --no-create-home --shell /usr/sbin/nologin %s", s.Account)}
		}
		return nil
	}
	var err error
	switch {
	case in.passwordFile != "" && in.passwordEnv != "":
		return cli.Usagef("got --password-file and --password-env, want one of them")
	case in.passwordFile != "":
		s.Password, err = readPassword(in.passwordFile)
	case in.passwordEnv != "":
		if s.Password = a.variable(in.passwordEnv); s.Password == "" {
			err = cli.Usagef("--password-env: the variable %s is not set", in.passwordEnv)
		}
	case service.NeedsPassword(s.Account):
		err = &cli.UsageError{Message: fmt.Sprintf("--account: %s needs a password", s.Account), Hint: "give it with --password-file or --password-env"}
	}
	return err
}

// readPassword reads a file of which one line end at the end does not count.
func readPassword(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > config.MaxTextFile {
		err = fmt.Errorf("%s is bigger than %d KiB", path, config.MaxTextFile>>10)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	switch {
	case err != nil:
		return "", &cli.UsageError{Message: "--password-file: " + err.Error()}
	case text == "":
		return "", cli.Usagef("--password-file: %s is empty", path)
	}
	return text, nil
}

// variable returns an environment variable; "" if it is not set.
func (a *command) variable(name string) string {
	for _, entry := range a.Environ {
		if key, value, ok := strings.Cut(entry, "="); ok && (key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name)) {
			return value
		}
	}
	return ""
}

// waits reads --restart-after.
func waits(text string) ([]time.Duration, error) {
	if text == "none" {
		return nil, nil
	}
	var list []time.Duration
	for part := range strings.SplitSeq(text, ",") {
		d, err := time.ParseDuration(strings.TrimSpace(part))
		if err != nil || d < 0 || d > 24*time.Hour {
			return nil, &cli.UsageError{Message: fmt.Sprintf("--restart-after: got %q, want waits up to 24h such as 5s,1m, or none", text), Hint: ""}
		}
		list = append(list, d)
	}
	return list, nil
}
