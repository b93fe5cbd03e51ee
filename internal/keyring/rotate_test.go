package keyring_test

import (
	"errors"
	"strings"
	"testing"

	"botwork/internal/keyring"
	"botwork/workqueue"
)

func TestRotate(t *testing.T) {
	first := newKeyring(t)
	before := must(first.Seal("before", place))(t)
	second := must(first.Rotate())(t)
	after := must(second.Seal("after", place))(t)

	if must(second.Open(before, place))(t) != "before" || must(second.Open(after, place))(t) != "after" {
		t.Error("the rotated keyring does not open all texts")
	}
	if _, err := first.Open(after, place); !errors.As(err, new(*workqueue.UnknownKeyError)) {
		t.Errorf("the previous keyring opens a text of the new key: %v", err)
	}
	if keys := first.Keys(); len(keys) != 1 || !keys[0].Primary {
		t.Errorf("rotating has changed the previous keyring: %+v", keys)
	}
	keys := second.Keys()
	if len(keys) != 2 || keys[0].ID != first.Keys()[0].ID || keys[0].Primary || !keys[1].Primary {
		t.Errorf("keys = %+v, want the old one, then the primary one", keys)
	}
	for _, tt := range []struct {
		sealed string
		key    keyring.Key
	}{{before, keys[0]}, {after, keys[1]}} {
		if !strings.HasPrefix(tt.sealed, tt.key.TextsBegin) || tt.key.TextsBegin == workqueue.SealedPrefix {
			t.Errorf("%.40q was sealed by key %d, whose texts begin %q", tt.sealed, tt.key.ID, tt.key.TextsBegin)
		}
	}
	third := must(must(keyring.Parse(jsonOf(t, second)))(t).Rotate())(t)
	if must(third.Open(before, place))(t) != "before" || must(third.Open(after, place))(t) != "after" || len(third.Keys()) != 3 {
		t.Error("after a second rotation of a parsed keyset, some texts cannot be opened")
	}
}

// TestRotateInTwoSteps checks that two processes with neighbouring keysets can always
// open each other's texts, at each moment of the rotation.
func TestRotateInTwoSteps(t *testing.T) {
	start := newKeyring(t)
	added := must(start.Add())(t)
	promoted := must(added.Promote())(t)
	for _, rollout := range [][2]*keyring.Keyring{{start, added}, {added, promoted}} {
		for _, sealer := range rollout {
			sealed := must(sealer.Seal("text", place))(t)
			for _, opener := range rollout {
				if opened, err := opener.Open(sealed, place); err != nil || opened != "text" {
					t.Errorf("%+v cannot open what %+v sealed: %v", opener.Keys(), sealer.Keys(), err)
				}
			}
		}
	}
	staged, ok := added.Staged()
	if !ok || staged.Primary || staged.ID != added.Keys()[1].ID || primary(t, promoted).ID != staged.ID {
		t.Errorf("staged = %+v, %t; promoted: %+v", staged, ok, promoted.Keys())
	}
	for name, err := range map[string]error{
		"a second key":            errorOf(added.Add()),
		"a rotation on top of it": errorOf(added.Rotate()),
	} {
		if !errors.Is(err, keyring.ErrStaged) {
			t.Errorf("%s: error = %v, want ErrStaged", name, err)
		}
	}
	for name, err := range map[string]error{
		"nothing was added":          errorOf(start.Promote()),
		"promoted already":           errorOf(promoted.Promote()),
		"the staged key is disabled": errorOf(disabled(t, added, 1).Promote()),
	} {
		if !errors.Is(err, keyring.ErrNothingStaged) {
			t.Errorf("%s: error = %v, want ErrNothingStaged", name, err)
		}
	}
}

func errorOf(_ *keyring.Keyring, err error) error { return err }

// disabled returns the keyring with one key disabled.
func disabled(t *testing.T, k *keyring.Keyring, at int) *keyring.Keyring {
	t.Helper()
	set := parts(t, k)
	set.Key[at].Status = "DISABLED"
	return must(keyring.Parse(set.String()))(t)
}
