package database

import (
	"time"

	"golang.org/x/sys/windows"
)

func limitUnacknowledged(fd uintptr, d time.Duration) error {
	return windows.SetsockoptInt(windows.Handle(fd), windows.IPPROTO_TCP, windows.TCP_MAXRT, int(d.Seconds()))
}
