package clitest

import (
	"regexp"
	"time"
)

// Tables show local times. Tests set the local time zone to UTC on every machine.
func init() { time.Local = time.FixedZone("Local", 0) }

// ShownInstants are times as tables show them.
var ShownInstants = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`)
