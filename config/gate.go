package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Gate has the bounds beyond which the worker takes no new items. Those that are not set are not
// measured.
type Gate struct {
	// CPU is how busy the processors of the machine, or of the container, may be.
	CPU Percent `yaml:"cpu" env:"CPU"`

	// MemoryFree must be available, and DiskFree on each disk that the worker writes to.
	MemoryFree Size `yaml:"memoryFree" env:"MEMORYFREE"`
	DiskFree   Size `yaml:"diskFree" env:"DISKFREE"`
}

// Percent is a share in percent, such as 90 for 90%; 0: not set.
type Percent float64

// UnmarshalText parses a share above 0% and up to 100%, such as "90%".
func (p *Percent) UnmarshalText(text []byte) error {
	number, ok := strings.CutSuffix(strings.TrimSpace(string(text)), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !ok || err != nil || math.IsNaN(v) || v <= 0 || v > 100 {
		return fmt.Errorf("got %.40q, want a share above 0%% and up to 100%%, such as 90%%", text)
	}
	*p = Percent(v)
	return nil
}

// String returns the share as in the settings; "" if it is not set.
func (p Percent) String() string {
	if p == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(p), 'f', -1, 64) + "%"
}

// Size is a number of bytes; 0: not set.
type Size int64

// sizeUnits are the units of a size, by their letters.
var sizeUnits = []struct {
	name  string
	bytes float64
}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {"TB", 1 << 40}}

// UnmarshalText parses a size with its unit, such as "500MB" or "1.5GB". Units are those of 1024.
func (s *Size) UnmarshalText(text []byte) error {
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(strings.ToUpper(strings.TrimSpace(string(text))), unit.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if bytes := v * unit.bytes; err == nil && bytes >= 1 && bytes < 1<<60 {
			*s = Size(bytes)
			return nil
		}
	}
	return fmt.Errorf("got %.40q, want a size with its unit, such as 500MB or 1.5GB", text)
}

// String returns the size with its unit; "" if it is not set.
func (s Size) String() string {
	if s == 0 {
		return ""
	}
	unit := sizeUnits[0]
	for _, u := range sizeUnits {
		if int64(s)%int64(u.bytes) == 0 {
			unit = u
		}
	}
	return strconv.FormatFloat(float64(s)/unit.bytes, 'f', -1, 64) + unit.name
}
