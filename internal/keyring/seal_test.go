package keyring_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"botwork/internal/keyring"
	"botwork/workqueue"
)

const place = "payload of item 7"

func TestRoundTrip(t *testing.T) {
	k := newKeyring(t)
	for name, plaintext := range map[string]string{
		"nothing": "", "JSON": `{"iban": "PT50 0002 0123"}`, "special characters": "größer\x00\n\"€", "long": strings.Repeat("x", 1<<20),
		"a sealed text": must(k.Seal("inner", place))(t),
	} {
		t.Run(name, func(t *testing.T) {
			sealed := must(k.Seal(plaintext, place))(t)
			if !strings.HasPrefix(sealed, "botwork:sealed:1:") || !workqueue.Sealed(sealed) {
				t.Errorf("sealed text = %.40q, want the prefix", sealed)
			}
			if len(plaintext) > 3 && strings.Contains(sealed, plaintext) {
				t.Errorf("the sealed text shows the plaintext: %.200q", sealed)
			}
			if _, err := base64.RawStdEncoding.DecodeString(strings.TrimPrefix(sealed, workqueue.SealedPrefix)); err != nil {
				t.Errorf("after the prefix: %v", err)
			}
			if again := must(k.Seal(plaintext, place))(t); again == sealed {
				t.Error("two calls gave the same sealed text")
			}
			if opened := must(k.Open(sealed, place))(t); opened != plaintext {
				t.Errorf("opened = %.60q, want %.60q", opened, plaintext)
			}
		})
	}
}

// TestFormatIsStable checks that texts stay readable forever: the first version of the
// program sealed the file.
func TestFormatIsStable(t *testing.T) {
	read := func(name string) string {
		return strings.TrimSpace(string(must(os.ReadFile(filepath.Join("testdata", name)))(t)))
	}
	k := must(keyring.Parse(read("keyset.json")))(t)
	if opened := must(k.Open(read("sealed.txt"), place))(t); opened != `{"name": "Ada"}` {
		t.Errorf("opened = %q", opened)
	}
}

func TestOpenRequiresSamePlace(t *testing.T) {
	k := newKeyring(t)
	sealed := must(k.Seal("secret", place))(t)
	for _, other := range []string{"", "payload of item 8", "output of item 7", place + " "} {
		wantBroken(t, k, sealed, other, "a row or column that it was not sealed for")
	}
}

func TestOpenRejectsTamperedText(t *testing.T) {
	k := newKeyring(t)
	data := must(base64.RawStdEncoding.DecodeString(strings.TrimPrefix(must(k.Seal(`{"amount": 100}`, place))(t), workqueue.SealedPrefix)))(t)
	for i := range data {
		for _, flip := range []byte{0x01, 0x80} {
			changed := append([]byte(nil), data...)
			changed[i] ^= flip
			_, err := k.Open(workqueue.SealedPrefix+base64.RawStdEncoding.EncodeToString(changed), place)
			broken := (*workqueue.BrokenSealError)(nil)
			unknown := (*workqueue.UnknownKeyError)(nil)
			if isID := i >= 1 && i < 5; isID && !errors.As(err, &unknown) || !isID && !errors.As(err, &broken) {
				t.Errorf("byte %d changed: error = %v (%[2]T)", i, err)
			}
		}
	}
	for n := range data {
		if _, err := k.Open(workqueue.SealedPrefix+base64.RawStdEncoding.EncodeToString(data[:n]), place); err == nil {
			t.Errorf("cut to %d bytes: opened", n)
		}
	}
}

func TestOpenRejectsOtherFormats(t *testing.T) {
	k := newKeyring(t)
	sealed := must(k.Seal("secret", place))(t)
	for name, tt := range map[string]struct{ text, want string }{
		"plain text":                 {`{"a": 1}`, "does not begin with botwork:sealed:1:"},
		"nothing":                    {"", "does not begin with"},
		"a later format":             {"botwork:sealed:2:AAAA", "is not supported by this version of the program"},
		"the prefix alone":           {workqueue.SealedPrefix, "truncated"},
		"not base64":                 {workqueue.SealedPrefix + "!!!!", "not valid base64"},
		"padded":                     {sealed + "=", "not valid base64"},
		"a line break":               {sealed[:40] + "\n" + sealed[40:], "line breaks"},
		"no key":                     {workqueue.SealedPrefix + "AAAAAAAAAAAA", "names no key"},
		"more characters at the end": {sealed + "AAAA", "has been changed"},
		"another text's tail":        {sealed[:len(sealed)-8] + "AAAAAAAA", "has been changed"},
	} {
		t.Run(name, func(t *testing.T) { wantBroken(t, k, tt.text, place, tt.want) })
	}
}

// wantBroken also checks that the error shows nothing of the text.
func wantBroken(t *testing.T, k *keyring.Keyring, sealed, associated, want string) {
	t.Helper()
	opened, err := k.Open(sealed, associated)
	broken := (*workqueue.BrokenSealError)(nil)
	if !errors.As(err, &broken) || !strings.Contains(err.Error(), want) || opened != "" {
		t.Errorf("Open(%.60q, %q) = %q, %v; want a BrokenSealError with %q", sealed, associated, opened, err, want)
	}
}

func TestOpenWithoutTheKey(t *testing.T) {
	k := newKeyring(t)
	sealed := must(k.Seal("secret", place))(t)
	_, err := newKeyring(t).Open(sealed, place)
	unknown := (*workqueue.UnknownKeyError)(nil)
	if !errors.As(err, &unknown) || *unknown != (workqueue.UnknownKeyError{KeyID: primary(t, k).ID}) {
		t.Errorf("error = %v, want key %d unknown", err, primary(t, k).ID)
	}
	if again := must(keyring.Parse(jsonOf(t, k)))(t); must(again.Open(sealed, place))(t) != "secret" {
		t.Error("the keyset that was read again opens a different text")
	}
}

func TestOpenWithDisabledKey(t *testing.T) {
	old := newKeyring(t)
	sealed := must(old.Seal("secret", place))(t)
	set := parts(t, must(old.Rotate())(t))
	set.Key[0].Status = "DISABLED"
	_, err := must(keyring.Parse(set.String()))(t).Open(sealed, place)
	unknown := (*workqueue.UnknownKeyError)(nil)
	if !errors.As(err, &unknown) || *unknown != (workqueue.UnknownKeyError{KeyID: set.Key[0].KeyID, Disabled: true}) {
		t.Errorf("error = %v, want key %d disabled", err, set.Key[0].KeyID)
	}
}

func TestConcurrentUse(t *testing.T) {
	k := newKeyring(t)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			mine := strings.Repeat("x", worker)
			for range 200 {
				sealed, err := k.Seal(mine, place)
				if err != nil {
					t.Error(err)
					return
				}
				rotated, err := k.Rotate()
				if err != nil {
					t.Error(err)
					return
				}
				for _, each := range []*keyring.Keyring{k, rotated} {
					if opened, err := each.Open(sealed, place); err != nil || opened != mine || len(k.Keys()) != 1 {
						t.Errorf("Open = %q, %v, with %d keys", opened, err, len(k.Keys()))
						return
					}
				}
			}
		})
	}
	wg.Wait()
}
