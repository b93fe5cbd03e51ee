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

const serviceInstallDoc = `Registers a service that starts with the system, but does not start it now. The
settings file is --config, or botwork.yaml in the working folder; it must exist and
have no errors, and its absolute path is stored, and so is the environment that
--environment or BOTWORK_ENVIRONMENT chooses.

On Windows the service runs as LocalSystem unless --account names another account:
LocalService, NetworkService, NT SERVICE\NAME (a virtual account for the service),
DOMAIN\name$ (a managed account), or an account with a password. The password is
read from a file or an environment variable. If the system rejects the event source,
the delayed start or similar settings, only a warning is printed.

On Linux it writes a systemd unit to /etc/systemd/system. The service runs as the
user botwork unless --account names another; the user must exist. It may write only
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
	flags.StringVar(&s.Description, "description", "Runs queued work for bots.", "a `TEXT` that describes the service")
	flags.StringVar(&s.Account, "account", "", "the `ACCOUNT` that runs the service")
	flags.StringVar(&in.passwordFile, "password-file", "", "the `FILE` with the account's password, on Windows")
	flags.StringVar(&in.passwordEnv, "password-env", "", "the environment `VARIABLE` with the account's password, on Windows")
	flags.BoolVar(&s.Manual, "manual", false, "do not start the service with the system")
	flags.BoolVar(&s.DelayedStart, "delayed-start", false, "start the service some time after the system, on Windows")
	flags.StringVar(&in.restartAfter, "restart-after", "5s,1m,5m", "the `WAITS` before a failed service is restarted: one for each failure, the last one for all further failures; systemd uses only the first; none disables restarts")
	flags.StringSliceVar(&s.DependsOn, "depends-on", nil, "`SERVICES` that must start before this one")
	flags.StringSliceVar(&s.Writable, "writable", nil, "additional `FOLDERS` that the service may write to, on Linux")
	flags.StringVar(&s.Program, "executable", "", "the `PROGRAM` that the service runs (default this one)")
	flags.BoolVar(&in.print, "print", false, "print the systemd unit and install nothing, on Linux")
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

// nameArgument returns the argument that selects the service, for a printed command line.
func nameArgument(name string) string {
	if name == config.ServiceName {
		return ""
	}
	return " --name " + name
}

// complete fills in what the flags leave out.
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

// checkSystem rejects flags that this operating system does not support.
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
			return cli.Usagef("%s is not supported on %s", f.flag, runtime.GOOS)
		}
	}
	if in.spec.DelayedStart && in.spec.Manual {
		return cli.Usagef("got --delayed-start and --manual, want one of them")
	}
	return nil
}

// completeConfig reads the settings, which define how long a stop may take and the folders
// that are written. With --print they may be missing, because the unit may be for another
// machine.
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
			a.Config.File, a.Config.Environment = a.ConfigFile, config.ChosenEnvironment(a.Environ)
			a.Config.Database.DSN = config.DSN{}
		}
	}
	if a.Config.File == "" {
		if err := a.LoadConfig(); err != nil {
			return err
		}
	}
	if a.Config.File == "" {
		return &cli.UsageError{Message: "found no settings file", Hint: "name one with --config; `botwork init` writes one"}
	}
	s.Config, s.Environment = a.Config.File, a.Config.Environment
	s.StopWithin = a.Config.Worker.StopIn() + time.Minute
	s.Writable = distinct(append(s.Writable, a.written()...))
	return nil
}

// written returns the folders that a worker with these settings writes to.
func (a *command) written() []string {
	folders := append([]string{}, a.Config.Handlers.Folders...)
	if a.Config.Database.Driver == database.SQLite {
		file := strings.TrimPrefix(a.Config.Database.DSN.Reveal(), "file:")
		file, _, _ = strings.Cut(file, "?")
		if file == "" { // there are no settings
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
			return &cli.UsageError{Message: fmt.Sprintf("--account: there is no user %q on this machine", s.Account),
				Hint: fmt.Sprintf("create it: useradd --system --no-create-home --shell /usr/sbin/nologin %s", s.Account)}
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
		err = &cli.UsageError{Message: fmt.Sprintf("--account: %s needs a password", s.Account), Hint: "use --password-file or --password-env"}
	}
	return err
}

// readPassword reads a password file and removes one line ending at its end.
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

// waits parses --restart-after.
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
