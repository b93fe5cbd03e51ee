package clitest

import "regexp"

// ShownInstants are times as tables show them.
var ShownInstants = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`)
