package bench

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/cobra"
)

// profileFlags name the files for profiles of the program; "" for none.
type profileFlags struct{ cpu, memory string }

func (f *profileFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.cpu, "cpuprofile", "", "write a profile of the program's CPU time into this `FILE`, for go tool pprof")
	cmd.Flags().StringVar(&f.memory, "memprofile", "", "write a profile of what the program allocated into this `FILE`, for go tool pprof")
}

// start starts the profiles. The returned function stops and writes them; they are complete
// even if the measurement failed.
func (f *profileFlags) start() (stop func() error, err error) {
	var cpu, memory *os.File
	if f.cpu != "" {
		if cpu, err = os.Create(f.cpu); err != nil {
			return nil, fmt.Errorf("--cpuprofile: %w", err)
		}
		if err := pprof.StartCPUProfile(cpu); err != nil {
			return nil, errors.Join(fmt.Errorf("--cpuprofile: %w", err), cpu.Close())
		}
	}
	if f.memory != "" {
		// Open it now, so that an error is reported before the measurement, which takes minutes.
		if memory, err = os.Create(f.memory); err != nil {
			if cpu != nil {
				pprof.StopCPUProfile()
				_ = cpu.Close()
			}
			return nil, fmt.Errorf("--memprofile: %w", err)
		}
	}
	return func() error {
		var errs []error
		if cpu != nil {
			pprof.StopCPUProfile()
			errs = append(errs, cpu.Close())
		}
		if memory != nil {
			runtime.GC() // the profile has the state of the last garbage collection
			errs = append(errs, pprof.Lookup("allocs").WriteTo(memory, 0), memory.Close())
		}
		return errors.Join(errs...)
	}, nil
}
