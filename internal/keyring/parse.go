package keyring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
)

// typePrefix begins the type of every key that Tink itself defines.
const typePrefix = "type.googleapis.com/google.crypto.tink."

// aeadTypes are the keys that seal by themselves. One that needs a key
// management service is not among them: a worker would depend on it for every
// item.
var aeadTypes = []string{
	"AesGcmKey", "AesGcmSivKey", "AesCtrHmacAeadKey", "XAesGcmKey", "ChaCha20Poly1305Key", "XChaCha20Poly1305Key",
}

// Parse reads a keyset from the JSON of a cleartext keyset. It refuses one that could not seal,
// and one with a key that is not for AEAD or whose texts would not show which key opens them. The
// error never shows any of the text: it does not wrap those of the libraries, which quote what
// they cannot read.
func Parse(text string) (*Keyring, error) {
	set, err := read(text)
	if err != nil {
		return nil, err
	}
	if err := checkPrimary(set); err != nil {
		return nil, err
	}
	seen := map[uint32]bool{}
	for _, key := range set.GetKey() {
		if err := checkKey(key); err != nil {
			return nil, fmt.Errorf("key %d %w", key.GetKeyId(), err)
		}
		if seen[key.GetKeyId()] {
			return nil, fmt.Errorf("key %d stands in the keyset twice", key.GetKeyId())
		}
		seen[key.GetKeyId()] = true
	}
	k, err := open(set)
	if err != nil {
		return nil, errors.New("this keyset cannot be used")
	}
	return k, nil
}

// read decodes the text as Tink does.
func read(text string) (*tinkpb.Keyset, error) {
	const want = "want the JSON that `botwork keys new` writes"
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the keyset is an empty text, " + want)
	}
	if !json.Valid([]byte(text)) {
		return nil, errors.New("the keyset is not JSON, or is cut short: " + want)
	}
	set, err := keyset.NewJSONReader(strings.NewReader(text)).Read()
	if err != nil {
		if _, err := keyset.NewJSONReader(strings.NewReader(text)).ReadEncrypted(); err == nil {
			return nil, errors.New("the keyset is encrypted itself, want a cleartext keyset, as `botwork keys new` writes it")
		}
		return nil, errors.New("the text is JSON, but no Tink keyset: " + want)
	}
	if len(set.GetKey()) == 0 {
		return nil, errors.New("the keyset holds no key, " + want)
	}
	return set, nil
}

// checkPrimary finds the key that seals.
func checkPrimary(set *tinkpb.Keyset) error {
	at := slices.IndexFunc(set.GetKey(), func(key *tinkpb.Keyset_Key) bool { return key.GetKeyId() == set.GetPrimaryKeyId() })
	if at < 0 {
		return fmt.Errorf("the keyset's primaryKeyId is %d, which none of its keys has", set.GetPrimaryKeyId())
	}
	if status := set.GetKey()[at].GetStatus(); status != tinkpb.KeyStatusType_ENABLED {
		return fmt.Errorf("the primary key %d is %s, want ENABLED: it could not seal", set.GetPrimaryKeyId(), status)
	}
	return nil
}

// checkKey says what is wrong with one key, in words that follow its id.
func checkKey(key *tinkpb.Keyset_Key) error {
	switch key.GetStatus() {
	case tinkpb.KeyStatusType_ENABLED, tinkpb.KeyStatusType_DISABLED, tinkpb.KeyStatusType_DESTROYED:
	default:
		return errors.New("has no status, want ENABLED or DISABLED")
	}
	kind, ok := strings.CutPrefix(key.GetKeyData().GetTypeUrl(), typePrefix)
	if !ok {
		return errors.New("is not of a type that Tink defines, want an AEAD key such as AesGcmKey")
	}
	if !slices.Contains(aeadTypes, kind) {
		return fmt.Errorf("is not an AEAD key, want one of %s", strings.Join(aeadTypes, ", "))
	}
	if prefix := key.GetOutputPrefixType(); prefix != tinkpb.OutputPrefixType_TINK {
		return fmt.Errorf("has the output prefix %s, want TINK: its texts would not tell which key opens them", prefix)
	}
	alone := &tinkpb.Keyset{PrimaryKeyId: key.GetKeyId(), Key: []*tinkpb.Keyset_Key{{
		KeyData: key.GetKeyData(), KeyId: key.GetKeyId(), OutputPrefixType: key.GetOutputPrefixType(), Status: tinkpb.KeyStatusType_ENABLED,
	}}}
	if _, err := open(alone); err != nil {
		return errors.New("cannot be used: its key material is damaged, or gone")
	}
	return nil
}

func open(set *tinkpb.Keyset) (*Keyring, error) {
	var binary bytes.Buffer
	if err := keyset.NewBinaryWriter(&binary).Write(set); err != nil {
		return nil, err
	}
	handle, err := insecurecleartextkeyset.Read(keyset.NewBinaryReader(&binary))
	if err != nil {
		return nil, err
	}
	return from(handle)
}
