package config_test

import (
	"strings"
	"testing"

	"botwork/config"
)

func TestGate(t *testing.T) {
	tests := map[string]struct {
		text string
		want config.Gate
		err  string // part of it; "": none
	}{
		"all three":       {`{cpu: 90%, memoryFree: 500MB, diskFree: 1.5 GB}`, config.Gate{CPU: 90, MemoryFree: 500 << 20, DiskFree: 3 << 29}, ""},
		"small letters":   {`{cpu: "87.5 %", memoryFree: 512kb}`, config.Gate{CPU: 87.5, MemoryFree: 512 << 10}, ""},
		"none":            {`{}`, config.Gate{}, ""},
		"no percent sign": {`{cpu: 90}`, config.Gate{}, `worker.gate.cpu: got "90", want a share above 0% and up to 100%, such as 90%`},
		"always closed":   {`{cpu: 0%}`, config.Gate{}, "above 0%"},
		"never closed":    {`{cpu: 100%}`, config.Gate{}, "worker.gate.cpu: got 100%, want less"},
		"not a number":    {`{cpu: NaN%}`, config.Gate{}, "up to 100%"},
		"no unit":         {`{memoryFree: 500}`, config.Gate{}, `worker.gate.memoryFree: got "500", want a size with its unit, such as 500MB or 1.5GB`},
		"a share of disk": {`{diskFree: 10%}`, config.Gate{}, "worker.gate.diskFree: got"},
		"a negative size": {`{diskFree: -1GB}`, config.Gate{}, "want a size"},
		"too much":        {`{diskFree: 9999999999TB}`, config.Gate{}, "want a size"},
		"another key":     {`{memory: 1GB}`, config.Gate{}, "memoryFree"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, findings := config.Parse("botwork.yaml", []byte("worker: {gate: "+tt.text+"}"))
			switch {
			case tt.err == "" && (len(findings) > 0 || got.Worker.Gate != tt.want):
				t.Errorf("gate = %+v, %v, want %+v", got.Worker.Gate, findings, tt.want)
			case tt.err == "" && tt.want.DiskFree == 3<<29 && (got.Worker.Gate.CPU.String() != "90%" || got.Worker.Gate.DiskFree.String() != "1536MB"):
				t.Errorf("it prints as %v", got.Worker.Gate)
			case tt.err != "" && !strings.Contains(findings.Error(), tt.err):
				t.Errorf("findings = %v, want %q", findings, tt.err)
			}
		})
	}
}
