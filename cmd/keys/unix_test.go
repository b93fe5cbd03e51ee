//go:build unix

package keys_test

import (
	"os"
	"syscall"
	"testing"

	"botwork/cmd/internal/clitest"
)

// An administrator rotates, the service reads.
func TestKeysRotateKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	t.Chdir(t.TempDir())
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	const uid, gid = 4711, 4712
	if err := os.Chown("keyset.json", uid, gid); err != nil {
		t.Fatal(err)
	}
	clitest.Must(t, "keys", "rotate", "keyset.json")
	info, err := os.Stat("keyset.json")
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); owner.Uid != uid || owner.Gid != gid || info.Mode().Perm() != 0o600 {
		t.Errorf("owner = %d:%d, mode = %v; want %d:%d, 0600", owner.Uid, owner.Gid, info.Mode(), uid, gid)
	}
}

func TestKeysRotateFollowsALink(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("secrets", 0o700); err != nil {
		t.Fatal(err)
	}
	clitest.Must(t, "keys", "new", "--out", "secrets/keyset.json")
	if err := os.Symlink("secrets/keyset.json", "link.json"); err != nil {
		t.Fatal(err)
	}
	clitest.Must(t, "keys", "rotate", "link.json")
	if info, err := os.Lstat("link.json"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("link.json is no link any more: %v, %v", info.Mode(), err)
	}
	if keys := keysetIn(t, "secrets/keyset.json").Keys(); len(keys) != 2 {
		t.Errorf("keys = %+v, want two", keys)
	}
	wantFiles(t, "secrets", "keyset.json")
	wantFiles(t, ".", "link.json", "secrets")
}
