package doctor

import (
	"fmt"
	"strings"

	"golang.org/x/sys/windows"
)

func volumeOf(path string) (volume, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return volume{}, err
	}
	var v volume
	if err := windows.GetDiskFreeSpaceEx(name, &v.free, &v.total, nil); err != nil {
		return volume{}, fmt.Errorf("free space of %s: %w", path, err)
	}
	root := make([]uint16, windows.MAX_PATH+1)
	v.id = path
	if err := windows.GetVolumePathName(name, &root[0], uint32(len(root))); err == nil {
		v.id = strings.ToLower(windows.UTF16ToString(root))
	}
	return v, nil
}
