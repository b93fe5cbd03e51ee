package doctor

import (
	"testing"

	"golang.org/x/sys/windows"
)

func TestWindowsAllows(t *testing.T) {
	const write = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA
	own := "S-1-5-80-1-2-3-4-5"
	service, _ := groups(own)
	system, _ := groups("S-1-5-18")
	for _, c := range []struct {
		name, list string
		ids        []string
		need       uint32
		want       bool
	}{
		{"everyone may read", "D:(A;;FR;;;WD)", service, windows.FILE_READ_DATA, true},
		{"everyone may read, not write", "D:(A;;FR;;;WD)", service, write, false},
		{"administrators only", "D:(A;;FA;;;BA)", service, windows.FILE_READ_DATA, false},
		{"the system is an administrator", "D:(A;;FA;;;BA)", system, write, true},
		{"the account itself", "D:(A;;FA;;;BA)(A;;0x1301bf;;;" + own + ")", service, write, true},
		{"two entries together", "D:(A;;0x2;;;WD)(A;;0x4;;;BU)", service, write, true},
		{"inherit-only entry", "D:(A;OICIIO;FA;;;WD)", service, windows.FILE_READ_DATA, false},
		{"denied before", "D:(D;;FW;;;BU)(A;;FA;;;WD)", service, write, false},
		{"denied after", "D:(A;;FA;;;WD)(D;;FW;;;BU)", service, write, true},
		{"denied to another group", "D:(D;;FA;;;BG)(A;;FA;;;WD)", service, write, true},
		{"generic", "D:(A;;GW;;;WD)", service, write, true},
		{"an empty list", "D:", service, windows.FILE_READ_DATA, false},
	} {
		descriptor, err := windows.SecurityDescriptorFromString(c.list)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		list, _, err := descriptor.DACL()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := allows(list, c.ids, c.need); err != nil || got != c.want {
			t.Errorf("%s: %t, %v, want %t", c.name, got, err, c.want)
		}
	}
	if got, err := allows(nil, service, write); err != nil || !got {
		t.Errorf("no list: %t, %v, want everything allowed", got, err)
	}
}

func TestWindowsGroups(t *testing.T) {
	for id, want := range map[string]bool{"S-1-5-18": true, "S-1-5-19": true, "S-1-5-80-1-2": true, "S-1-5-21-1-2-3-1001": false} {
		if ids, all := groups(id); all != want || ids[0] != id {
			t.Errorf("groups(%s) = %v, %t, want all %t", id, ids, all, want)
		}
	}
}

func TestWindowsLookUp(t *testing.T) {
	for name, want := range map[string]string{"LocalSystem": "S-1-5-18", `NT AUTHORITY\LocalService`: "S-1-5-19"} {
		if got, err := lookUp(name); err != nil || got.id != want {
			t.Errorf("lookUp(%s) = %s, %v, want %s", name, got.id, err, want)
		}
	}
}
