package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/remote"
)

// ServerFlags name a server whose HTTP API a command uses in place of the database.
type ServerFlags struct {
	Server    string // --server or BOTWORK_SERVER; "": the database
	TokenFile string // --token-file or BOTWORK_TOKEN_FILE
	CAFile    string // --ca-file or BOTWORK_CA_FILE

	// NoCheck is set by a command: the server does not compare new items with its pipelines.
	NoCheck bool
}

// The environment variables in place of these flags. The token itself is never an argument, because
// other users of the machine see the arguments of programs.
const (
	variableServer    = "BOTWORK_SERVER"
	variableTokenFile = "BOTWORK_TOKEN_FILE"
	variableToken     = "BOTWORK_TOKEN"
	variableCAFile    = "BOTWORK_CA_FILE"
)

// RegisterServerFlags adds the flags to the root command.
func (a *App) RegisterServerFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&a.Server, "server", "", "use the HTTP API of the server at this `URL` in place of the database (default BOTWORK_SERVER)")
	flags.StringVar(&a.TokenFile, "token-file", "", "`FILE` with the API token for --server (default BOTWORK_TOKEN_FILE, or the token in BOTWORK_TOKEN)")
	flags.StringVar(&a.CAFile, "ca-file", "", "`FILE` with certificates of authorities for --server, besides those of the system (default BOTWORK_CA_FILE)")
	for _, name := range []string{"token-file", "ca-file"} {
		_ = root.MarkPersistentFlagFilename(name)
	}
}

// overServer is the annotation of commands that work over a server.
const overServer = "botwork.server"

// OverServer marks a command that works over a server as well, and says so in its help.
func OverServer(cmd *cobra.Command) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[overServer] = ""
	return cmd
}

// IsOverServer reports whether a command works over a server.
func IsOverServer(cmd *cobra.Command) bool {
	_, ok := cmd.Annotations[overServer]
	return ok
}

// UsesServer reports whether the command uses a server. It is known once the command has begun.
func (a *App) UsesServer() bool { return a.Server != "" }

// readServerFlags completes the flags by the environment, and refuses a command that needs a database
// or files of its own.
func (a *App) readServerFlags(cmd *cobra.Command) error {
	f, given := &a.ServerFlags, cmd.Flags().Changed
	if !given("server") {
		f.Server = a.variable(variableServer)
	}
	if f.Server == "" {
		if given("token-file") || given("ca-file") {
			return &UsageError{Message: "got --token-file or --ca-file without --server", Hint: "--server names the server that they are for"}
		}
		return nil
	}
	if !IsOverServer(cmd) {
		from := "--server"
		if !given("server") {
			from = variableServer
		}
		return &UsageError{
			Message: fmt.Sprintf("%s does not work over a server (%s)", cmd.CommandPath(), from),
			Hint:    "these do: " + strings.Join(commandsOverServer(cmd.Root()), ", ") + `; --server "" uses the database`,
		}
	}
	if !given("ca-file") {
		f.CAFile = a.variable(variableCAFile)
	}
	return nil
}

// commandsOverServer lists the commands that work over a server, by nouns: "items (list, show)".
func commandsOverServer(root *cobra.Command) []string {
	var list []string
	for _, noun := range root.Commands() {
		var verbs []string
		for _, verb := range noun.Commands() {
			if IsOverServer(verb) {
				verbs = append(verbs, verb.Name())
			}
		}
		switch {
		case len(verbs) > 0:
			list = append(list, noun.Name()+" ("+strings.Join(verbs, " ")+")")
		case IsOverServer(noun):
			list = append(list, noun.Name())
		}
	}
	return list
}

// variable returns a variable of the environment; "" if there is none.
func (a *App) variable(name string) string {
	for _, entry := range a.Environ {
		key, value, _ := strings.Cut(entry, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// openServer returns the server of the flags.
func (a *App) openServer() (*remote.Server, error) {
	token, err := a.token()
	if err != nil {
		return nil, err
	}
	s, err := remote.Open(remote.Options{Server: a.Server, Token: token, CAFile: a.CAFile})
	if err != nil {
		return nil, &UsageError{Message: err.Error()}
	}
	if a.NoCheck {
		s.NoCheck()
	}
	return s, nil
}

// maxToken bounds the file of a token, which may be another file by mistake.
const maxToken = 4096

// token reads the token from its file or from the environment.
func (a *App) token() (string, error) {
	file, token := a.TokenFile, a.variable(variableToken)
	if file == "" {
		file = a.variable(variableTokenFile)
		if file != "" && token != "" {
			return "", Usagef("got %s and %s, want one of them", variableTokenFile, variableToken)
		}
		if file == "" && token == "" {
			return "", &UsageError{
				Message: "got --server without a token, want --token-file, " + variableTokenFile + " or " + variableToken,
				Hint:    "`botwork tokens create` prints one, on a machine with the database",
			}
		}
	}
	if file != "" {
		info, err := os.Stat(file)
		if err != nil {
			return "", fmt.Errorf("the file of the token: %w", err)
		}
		if info.Size() > maxToken {
			return "", fmt.Errorf("the file of the token %s has %d bytes, want only a token", file, info.Size())
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("the file of the token: %w", err)
		}
		if runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			fmt.Fprintf(a.Stderr, "botwork: warning: other users may read the token in %s (mode %04o); hint: chmod 600 %[1]s\n", file, info.Mode().Perm())
		}
		token = string(text)
	}
	token = strings.TrimSpace(token)
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", errors.New("the token: got an empty text or several words, want one token as `botwork tokens create` prints it")
	}
	return token, nil
}
