// Package config reads the program's settings: the defaults, the file botwork.yaml, the file of
// the chosen environment, such as botwork.prod.yaml, then the environment variables. It reports all errors at once, each with its position and a suggestion. Secrets
// print as <secret>.
//
// Only the command line and the checker of a whole project use this package; they pass plain
// values to other packages.
package config

import (
	"runtime"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	"botwork/internal/hostrules"
)

// Config is the settings of one process. The key of a setting in the file is
// its yaml tag; its environment variable is BOTWORK_ and the path of keys in
// capitals, such as BOTWORK_DATABASE_POOL_MAXOPEN. A variable that is empty
// counts as not set.
type Config struct {
	// File is the absolute path of the file that was read; "" if the settings are only the
	// defaults and the environment.
	File string `yaml:"-"`

	// Environment is the chosen environment; "" if none is. Environments has its values first, then
	// the values of the other environments, which are not in use.
	Environment  string        `yaml:"-"`
	Environments []Environment `yaml:"-"`

	Database  Database  `yaml:"database" envPrefix:"DATABASE_"`
	Worker    Worker    `yaml:"worker" envPrefix:"WORKER_"`
	Pipelines Pipelines `yaml:"pipelines" envPrefix:"PIPELINES_"`

	// Connections are the SQL connections that handlers may name. The
	// environment sets them by BOTWORK_CONNECTIONS_<NAME>_DRIVER and _DSN.
	Connections map[string]Connection `yaml:"connections"`

	// Secrets are the values of `${{ secrets.name }}`. The environment sets them by
	// BOTWORK_SECRET_<NAME>.
	Secrets map[string]Text `yaml:"secrets"`

	// Values are what pipelines read with `${{ values.name }}`, as written in the files; nil when
	// they have none. They are not secret.
	Values *strictyaml.Node `yaml:"values"`

	Encryption Encryption `yaml:"encryption" envPrefix:"ENCRYPTION_"`

	// Queues are the definitions of queues as written in the file; nil when it has none. Package
	// internal/author/queuedefs reads them.
	Queues *strictyaml.Node `yaml:"queues"`

	// Tasks are the scheduled tasks as written in the file; nil when it has none. Package tasks
	// reads them.
	Tasks *strictyaml.Node `yaml:"tasks"`

	Notifications Notifications `yaml:"notifications"`

	Handlers Handlers `yaml:"handlers" envPrefix:"HANDLERS_"`
	HTTP     HTTP     `yaml:"http" envPrefix:"HTTP_"`
	Tracing  Tracing  `yaml:"tracing" envPrefix:"TRACING_"`
	Log      Log      `yaml:"log" envPrefix:"LOG_"`

	// For the positions of findings: the file's tree, the sources of overridden settings, and the
	// settings that could not be read and kept an earlier value.
	name   string
	node   *strictyaml.Node
	from   map[string]string
	broken map[string]bool

	// inFile has the settings that the file reads from a variable, by variable.
	inFile map[string]string

	// unread is true if a file is not YAML, or the chosen environment has none.
	unread bool

	// hostNamed is true if the worker has the host's name because no name is set.
	hostNamed bool
}

// Database is the database with the queue's tables.
type Database struct {
	Driver database.Driver `yaml:"driver" env:"DRIVER"`

	// DSN is required, except for SQLite, where it is a file's path or a URI (file:…) and the
	// default is botwork.db.
	DSN DSN `yaml:"dsn" env:"DSN"`

	Pool Pool `yaml:"pool" envPrefix:"POOL_"`
}

// Pool limits the connections to a database server. SQLite has separate limits.
type Pool struct {
	MaxOpen int `yaml:"maxOpen" env:"MAXOPEN"`

	// MaxIdle is at most MaxOpen; 0 keeps no idle connection.
	MaxIdle int `yaml:"maxIdle" env:"MAXIDLE"`

	// MaxLifetime closes connections of that age, so that load is balanced again after a server
	// has returned. 0 keeps them.
	MaxLifetime time.Duration `yaml:"maxLifetime" env:"MAXLIFETIME"`
}

// Worker has the settings of this process as a worker.
type Worker struct {
	// Name stays the same after restarts and is unique among the running workers of a database.
	// Load fills in the host's name when it is "".
	Name string `yaml:"name" env:"NAME"`

	// Capacity is how many items run at the same time, 1 to 10000. The
	// default is the number of CPUs, but at least 4.
	Capacity int `yaml:"capacity" env:"CAPACITY"`

	// ReservedSlots of the capacity are kept for items above priority 1000; 0 to
	// one less than the capacity.
	ReservedSlots int `yaml:"reservedSlots" env:"RESERVEDSLOTS"`

	// Channels are the channels whose items the worker runs, in addition to items without a
	// channel; nil: all, with one slot per item.
	Channels Channels `yaml:"channels" env:"CHANNELS"`

	// Queues are the queues that the worker serves; nil: all.
	Queues []string `yaml:"queues" env:"QUEUES"`

	Labels Labels `yaml:"labels" env:"LABELS"`

	Gate Gate `yaml:"gate" envPrefix:"GATE_"`

	// Heartbeat is the time between two heartbeats, at least one second. Lease is how long the
	// worker holds an item after a heartbeat. A lease must be at least two heartbeats long, so
	// that one may fail.
	Heartbeat time.Duration `yaml:"heartbeat" env:"HEARTBEAT"`
	Lease     time.Duration `yaml:"lease" env:"LEASE"`

	// ShutdownGrace is how long running items may continue when the worker stops. 0 cancels them
	// immediately.
	ShutdownGrace time.Duration `yaml:"shutdownGrace" env:"SHUTDOWNGRACE"`
}

// Pipelines has the settings of pipeline files.
type Pipelines struct {
	Dir string `yaml:"dir" env:"DIR"`

	// Timezone is an IANA name, UTC or Local: the default time zone of triggers.
	Timezone string `yaml:"timezone" env:"TIMEZONE"`
}

// Location returns the zone that Timezone names.
func (p Pipelines) Location() (*time.Location, error) { return time.LoadLocation(p.Timezone) }

// Connection is a database that handlers may use by its name. Both fields are required, each
// in the file or in the environment.
type Connection struct {
	Driver database.Driver `yaml:"driver"`
	DSN    DSN             `yaml:"dsn"`
}

// Handlers limits what handlers may access.
type Handlers struct {
	// Folders are the folders in which File, CSV, Template and Mail may read and write, including
	// subfolders. Without folders they may not access files.
	Folders []string `yaml:"folders" env:"FOLDERS"`

	HTTP Hosts `yaml:"http" envPrefix:"HTTP_"`
}

// Hosts are the hosts that HTTP steps may reach: names, *.domain, addresses and networks. See
// package internal/hostrules.
type Hosts struct {
	// Allow has the only hosts that may be reached; empty: all that are not denied.
	Allow []string `yaml:"allow" env:"ALLOW"`
	Deny  []string `yaml:"deny" env:"DENY"`
}

// Rules are the rules of these hosts; the error is about entries that Validate reports.
func (h Hosts) Rules() (*hostrules.Rules, error) { return hostrules.New(h.Allow, h.Deny) }

// Log has the settings of the log.
type Log struct {
	// Level is one of Levels.
	Level string `yaml:"level" env:"LEVEL"`

	// Format is one of Formats; auto is console on a terminal, else json.
	Format string `yaml:"format" env:"FORMAT"`

	File LogFile `yaml:"file" envPrefix:"FILE_"`
}

// LogFile has the settings of a worker's log file.
type LogFile struct {
	// Path is absolute after Load; "" writes no file, except for a Windows service, which has no
	// other place for its log.
	Path string `yaml:"path" env:"PATH"`

	// MaxSizeMB is the size in megabytes (1 MB is 1048576 bytes) at which the file is rotated, 1
	// to 10000.
	MaxSizeMB int `yaml:"maxSizeMB" env:"MAXSIZEMB"`

	// MaxFiles is how many rotated files are kept; 0 keeps all.
	MaxFiles int `yaml:"maxFiles" env:"MAXFILES"`

	// MaxAge is how long rotated files are kept after their last line; 0 keeps them forever.
	MaxAge time.Duration `yaml:"maxAge" env:"MAXAGE"`
}

// The words that Log accepts.
var (
	Levels  = []string{"trace", "debug", "info", "warn", "error"}
	Formats = []string{"auto", "console", "json"}
)

// Default returns the settings of a process without a file and without variables. Its paths
// are still relative.
func Default() Config {
	return Config{
		Database: Database{
			Driver: database.SQLite,
			DSN:    DSN{Text{secret: NewSecret("botwork.db"), implied: true}},
			Pool:   Pool{MaxOpen: 20, MaxIdle: 10, MaxLifetime: 30 * time.Minute},
		},
		Worker: Worker{
			Capacity:      max(4, runtime.NumCPU()),
			Heartbeat:     20 * time.Second,
			Lease:         time.Minute,
			ShutdownGrace: 30 * time.Second,
		},
		Pipelines: Pipelines{Dir: "pipelines", Timezone: "Local"},
		HTTP: HTTP{
			Listen: "127.0.0.1:8321", Limits: HTTPLimits{BodyMB: 16, Requests: 256, Waiting: 2000, PerSecond: 200},
			OIDC: OIDC{Scopes: []string{"openid", "profile", "email"}, Claim: "groups"},
		},
		Log: Log{Level: "info", Format: "auto", File: LogFile{MaxSizeMB: 20, MaxFiles: 10}},
	}
}
