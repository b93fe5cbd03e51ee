package docstest

import (
	"testing"

	"botwork/internal/database"
	"botwork/internal/doctor"
)

// TestDoctorChecks compares the table of docs/doctor.md with the checks of all
// engines.
func TestDoctorChecks(t *testing.T) {
	var documented, real []string
	for _, tab := range read(t, "docs/doctor.md").tablesWith(t, "check", "looks at", "warns", "is at fault") {
		documented = append(documented, tab.first()...)
	}
	seen := map[string]bool{}
	for _, driver := range database.Drivers {
		for _, check := range doctor.New(doctor.Options{Driver: driver}).Checks() {
			if !seen[check.Name] {
				real = append(real, check.Name)
			}
			seen[check.Name] = true
		}
	}
	sameSet(t, "checks of botwork doctor", documented, real)
}
