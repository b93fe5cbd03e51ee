package reload

import "golang.org/x/sys/unix"

// remote reports whether the folder is on a file system that other machines can change.
func remote(folder string) bool {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return false
	}
	switch uint32(s.Type) { //nolint:gosec // magic numbers have 32 bits, whatever the field's width
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC:
		return true
	}
	return false
}
