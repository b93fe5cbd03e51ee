package service

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"time"
)

// unitHead is the first line of a unit that Install wrote.
const unitHead = "# Written by `botwork service install`."

// Unit returns the systemd unit of a service. It is hardened as far as the programs that
// handlers start allow, because they inherit the restrictions.
func Unit(s Spec) string {
	var u strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&u, format+"\n", args...) }
	line("%s Changes belong into `systemctl edit %s`.", unitHead, s.Name)
	line("[Unit]")
	line("Description=%s", specifierFree(s.Description))
	line("Wants=network-online.target")
	line("After=network-online.target")
	for _, other := range s.DependsOn {
		line("Requires=%s", unitOf(other))
		line("After=%s", unitOf(other))
	}
	line("StartLimitIntervalSec=0")
	line("")
	line("[Service]")
	line("Type=notify")
	line("NotifyAccess=main")
	line("ExecStart=%s", commandLine(append([]string{s.Program}, s.Arguments()...)))
	line("User=%s", specifierFree(s.Account))
	line("WorkingDirectory=%s", specifierFree(path.Dir(s.Config)))
	line("# Ready comes before the database is touched; a drain asks for more time as it goes.")
	line("TimeoutStartSec=120")
	line("TimeoutStopSec=%d", seconds(s.StopWithin))
	line("WatchdogSec=120")
	line("# A stop lets the programs of running items go on until the grace is over.")
	line("KillMode=mixed")
	if len(s.RestartAfter) > 0 {
		line("# Exit code 2 is a file with errors: starting again would not fix it.")
		line("Restart=on-failure")
		line("RestartSec=%d", seconds(s.RestartAfter[0]))
		line("RestartPreventExitStatus=2")
	}
	line("")
	u.WriteString(hardening)
	if len(s.Writable) > 0 {
		line("# What the settings name for writing; a folder that is not there is none.")
	}
	for _, folder := range s.Writable {
		line("ReadWritePaths=%s", quoted("-"+folder))
	}
	line("")
	line("[Install]")
	line("WantedBy=multi-user.target")
	return u.String()
}

// hardening allows handlers that start other programs. It does not contain MemoryDenyWriteExecute,
// with which interpreters with a just-in-time compiler fail.
const hardening = `UMask=0027
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
PrivateTmp=yes
PrivateDevices=yes
ProtectSystem=strict
ProtectHome=read-only
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
`

// seconds rounds up, to at least 1.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// unitOf is the name of a unit as people shorten it.
func unitOf(name string) string {
	if strings.Contains(name, ".") {
		return name
	}
	return name + ".service"
}

// specifierFree escapes % so that systemd expands no specifiers.
func specifierFree(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// quoted returns one word of a list, quoted.
func quoted(word string) string {
	word = specifierFree(word)
	if !strings.ContainsAny(word, " \t\"'\\") {
		return word
	}
	return strconv.Quote(word)
}

// commandLine returns a command line for systemd, which uses no shell. It expands variables only in
// the arguments.
func commandLine(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		if i > 0 {
			word = strings.ReplaceAll(word, "$", "$$")
		}
		list[i] = quoted(word)
	}
	return strings.Join(list, " ")
}

// wordsOf parses a line of commandLine.
func wordsOf(line string) []string {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		word, rest, _ := strings.Cut(line, " ")
		if prefix, err := strconv.QuotedPrefix(line); err == nil {
			word, _ = strconv.Unquote(prefix)
			rest = line[len(prefix):]
		}
		if word = strings.ReplaceAll(word, "%%", "%"); len(words) > 0 {
			word = strings.ReplaceAll(word, "$$", "$")
		}
		words = append(words, word)
		line = rest
	}
	return words
}

// valueOf returns the value of a key in a unit's text; "" if it has none.
func valueOf(unit, key string) string {
	for line := range strings.Lines(unit) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), key+"="); ok {
			return value
		}
	}
	return ""
}
