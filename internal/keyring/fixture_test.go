package keyring_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"botwork/internal/keyring"
)

// text is a keyset in the form of its file, parsed so that a test can damage a part of
// it.
type text struct {
	PrimaryKeyID uint32     `json:"primaryKeyId"`
	Key          []*textKey `json:"key"`
}

type textKey struct {
	KeyData          *keyData `json:"keyData,omitempty"`
	Status           string   `json:"status"`
	KeyID            uint32   `json:"keyId"`
	OutputPrefixType string   `json:"outputPrefixType"`
}

type keyData struct {
	TypeURL         string `json:"typeUrl"`
	Value           string `json:"value"`
	KeyMaterialType string `json:"keyMaterialType"`
}

func newKeyring(t *testing.T) *keyring.Keyring {
	t.Helper()
	return must(keyring.New())(t)
}

// must returns the value of a call and fails the test if there is an error.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func jsonOf(t *testing.T, k *keyring.Keyring) string {
	t.Helper()
	return string(must(k.JSON())(t))
}

func parts(t *testing.T, k *keyring.Keyring) text {
	t.Helper()
	var set text
	if err := json.Unmarshal([]byte(jsonOf(t, k)), &set); err != nil {
		t.Fatal(err)
	}
	return set
}

func (set text) String() string {
	data, _ := json.Marshal(set) // cannot fail: the set has only texts and numbers
	return string(data)
}

func primary(t *testing.T, k *keyring.Keyring) keyring.Key {
	t.Helper()
	keys := k.Keys()
	at := slices.IndexFunc(keys, func(key keyring.Key) bool { return key.Primary })
	if at < 0 {
		t.Fatalf("no key of %+v is primary", keys)
	}
	return keys[at]
}

// leaks reports whether the output shows key material of the keyset: eight consecutive
// characters of it, as base64 of any alignment or as hex.
func (set text) leaks(said string) bool {
	for _, key := range set.Key {
		if key.KeyData == nil {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(key.KeyData.Value)
		if err != nil {
			raw = nil // damaged: check only its text
		}
		forms := []string{key.KeyData.Value, hex.EncodeToString(raw)}
		for skip := range min(3, len(raw)) {
			forms = append(forms, base64.StdEncoding.EncodeToString(raw[skip:]), base64.URLEncoding.EncodeToString(raw[skip:]))
		}
		for _, form := range forms {
			for i := 0; i+8 <= len(form); i++ {
				if strings.Contains(strings.ToLower(said), strings.ToLower(form[i:i+8])) {
					return true
				}
			}
		}
	}
	return false
}
