package keyring_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/keyring"
)

func TestNew(t *testing.T) {
	k := newKeyring(t)
	keys := k.Keys()
	want := []keyring.Key{{ID: keys[0].ID, Type: "AesGcmKey", Status: "enabled", Primary: true, TextsBegin: keys[0].TextsBegin}}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	set := parts(t, k)
	// The value is a protocol buffer: tag 3, a length, then the key itself.
	if raw := must(base64.StdEncoding.DecodeString(set.Key[0].KeyData.Value))(t); len(raw) != 2+32 {
		t.Errorf("the key has %d bytes, want 32", len(raw)-2)
	}
	if jsonOf(t, newKeyring(t)) == jsonOf(t, k) {
		t.Error("two new keyrings are equal")
	}
	if text := jsonOf(t, k); strings.ContainsAny(text, " \n") || text != jsonOf(t, must(keyring.Parse(text))(t)) {
		t.Errorf("the JSON is not on one line or changes after a round trip")
	}
}

func TestParseRejectsInvalidKeysets(t *testing.T) {
	const hmac = "type.googleapis.com/google.crypto.tink.HmacKey"
	for name, tt := range map[string]struct {
		spoil func(set *text)
		want  string
	}{
		"no keys":                     {func(set *text) { set.Key = nil }, "has no keys"},
		"a primary key of no key":     {func(set *text) { set.PrimaryKeyID++ }, "no key has this id"},
		"a disabled primary key":      {func(set *text) { set.Key[0].Status = "DISABLED" }, "is DISABLED, want ENABLED"},
		"a destroyed primary key":     {func(set *text) { set.Key[0].Status = "DESTROYED" }, "is DESTROYED, want ENABLED"},
		"a key without status":        {func(set *text) { set.Key[1].Status = "UNKNOWN_STATUS" }, "has no status"},
		"another primitive":           {func(set *text) { set.Key[0].KeyData.TypeURL = hmac }, "is not an AEAD key"},
		"another primitive, disabled": {func(set *text) { set.Key[1].KeyData.TypeURL, set.Key[1].Status = hmac, "DISABLED" }, "is not an AEAD key"},
		"a key of an unknown type":    {func(set *text) { set.Key[0].KeyData.TypeURL = "mine" }, "is not of a type that Tink defines"},
		"a key without a prefix":      {func(set *text) { set.Key[1].OutputPrefixType = "RAW" }, "has the output prefix RAW, want TINK"},
		"a key without material":      {func(set *text) { set.Key[1].KeyData.Value = "" }, "its key material is damaged or missing"},
		"a truncated key": {func(set *text) { set.Key[1].KeyData.Value = set.Key[1].KeyData.Value[:12] },
			"its key material is damaged or missing"},
		"a key without data": {func(set *text) { set.Key[1].KeyData = nil }, "is not of a type"},
		"the same id twice":  {func(set *text) { set.Key[1].KeyID = set.Key[0].KeyID }, "two keys with the id"},
		"an invalid status": {func(set *text) { set.Key[1].Status = set.Key[1].KeyData.Value },
			"not a Tink keyset"},
		"material that is not base64": {func(set *text) { set.Key[1].KeyData.Value = "!" + set.Key[1].KeyData.Value }, "not a Tink keyset"},
		"material in place of a type": {func(set *text) {
			set.Key[1].KeyData.TypeURL = "type.googleapis.com/google.crypto.tink." + set.Key[1].KeyData.Value
		},
			"is not an AEAD key"},
	} {
		t.Run(name, func(t *testing.T) {
			set := parts(t, must(newKeyring(t).Rotate())(t))
			// The primary key is the first one here.
			set.Key[0], set.Key[1] = set.Key[1], set.Key[0]
			sound := parts(t, must(keyring.Parse(set.String()))(t))
			tt.spoil(&set)
			_, err := keyring.Parse(set.String())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error = %v, want %q", err, tt.want)
			}
			if sound.leaks(err.Error()) || set.leaks(err.Error()) {
				t.Errorf("the error shows key material: %v", err)
			}
		})
	}
}

func TestParseRejectsOtherTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "is empty",
		" \n":                  "is empty",
		"keys.json":            "is not JSON",
		"{}":                   "has no keys",
		"null":                 "not a Tink keyset",
		"[]":                   "not a Tink keyset",
		`{"kty": "oct"}`:       "not a Tink keyset",
		`{"key": [], "x": {}}`: "not a Tink keyset",
		`{"encryptedKeyset": "AAAA", "keysetInfo": {"primaryKeyId": 1}}`: "is encrypted",
	} {
		if _, err := keyring.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error = %v, want %q", text, err, want)
		}
	}
}

// TestErrorsDoNotShowKeys checks keysets that were damaged while they were copied:
// truncated after any number of characters, or with one character missing. The error
// never shows a part of the keyset.
func TestErrorsDoNotShowKeys(t *testing.T) {
	k := must(newKeyring(t).Rotate())(t)
	set, text := parts(t, k), jsonOf(t, k)
	if !set.leaks("key " + set.Key[1].KeyData.Value[8:20] + " is wrong") {
		t.Fatal("the test does not notice key material")
	}
	refused := 0
	for i := range text {
		for _, spoiled := range []string{text[:i], text[i:], text[:i] + text[i+1:], text[:i] + "\"" + text[i:], strings.Repeat(text[:i], 2)} {
			if _, err := keyring.Parse(spoiled); err != nil {
				refused++
				if set.leaks(err.Error()) {
					t.Fatalf("the error shows key material: %v", err)
				}
			}
		}
	}
	if refused < len(text) {
		t.Errorf("%d of the damaged keysets were rejected, want most", refused)
	}
	sealed := must(k.Seal("secret", place))(t)
	for _, err := range []error{
		errorOf2(newKeyring(t).Open(sealed, place)), errorOf2(k.Open(sealed, "elsewhere")), errorOf2(k.Open(sealed[:60], place)), errorOf2(k.Open(text, place)),
	} {
		if err == nil || set.leaks(err.Error()) {
			t.Errorf("error = %v, want one without key material", err)
		}
	}
}

func errorOf2(_ string, err error) error { return err }

func TestKeyringDoesNotPrintKeys(t *testing.T) {
	k := newKeyring(t)
	set := parts(t, k)
	data := must(json.Marshal(map[string]any{"keyring": k}))(t)
	for _, said := range []string{
		string(data), k.String(), fmt.Sprintf("%v %+v %#v %s %q %x", k, k, k, k, k, k), fmt.Sprintf("%v %+v %#v", *k, *k, *k),
		fmt.Sprintf("%v %+v %#v", k.Keys(), k.Keys(), k.Keys()),
	} {
		if set.leaks(said) {
			t.Errorf("the text shows key material: %s", said)
		}
	}
}

// TestParseOtherSpellings checks the spellings that Tink's own tool uses.
func TestParseOtherSpellings(t *testing.T) {
	text := strings.TrimSpace(string(must(os.ReadFile("testdata/keyset.json"))(t)))
	want := must(keyring.Parse(text))(t).Keys()
	for name, other := range map[string]string{
		"snake case":         strings.NewReplacer("primaryKeyId", "primary_key_id", "keyData", "key_data", "typeUrl", "type_url").Replace(text),
		"enums as numbers":   strings.NewReplacer(`"ENABLED"`, "1", `"TINK"`, "1").Replace(text),
		"spaces, a line end": strings.ReplaceAll(text, ",", ",\n  ") + "\n",
	} {
		if diff := cmp.Diff(want, must(keyring.Parse(other))(t).Keys()); other == text || diff != "" {
			t.Errorf("%s: keys (-want +got):\n%s", name, diff)
		}
	}
}
