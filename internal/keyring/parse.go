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

// typePrefix is the prefix of the type of every key that Tink itself defines.
const typePrefix = "type.googleapis.com/google.crypto.tink."

// aeadTypes are the supported key types. Keys that need a key management service are not
// supported, because a worker would depend on that service for each item.
var aeadTypes = []string{
	"AesGcmKey", "AesGcmSivKey", "AesCtrHmacAeadKey", "XAesGcmKey", "ChaCha20Poly1305Key", "XChaCha20Poly1305Key",
}

// Parse reads a cleartext keyset in JSON. It returns an error for a keyset that cannot
// seal, that has a key that is not an AEAD key, or whose sealed texts would not identify
// their key. The error never shows any part of the text: it does not wrap the errors of
// the libraries, which quote text that they cannot read.
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
			return nil, fmt.Errorf("the keyset has two keys with the id %d", key.GetKeyId())
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
		return nil, errors.New("the keyset is empty, " + want)
	}
	if !json.Valid([]byte(text)) {
		return nil, errors.New("the keyset is not JSON, or is truncated: " + want)
	}
	set, err := keyset.NewJSONReader(strings.NewReader(text)).Read()
	if err != nil {
		if _, err := keyset.NewJSONReader(strings.NewReader(text)).ReadEncrypted(); err == nil {
			return nil, errors.New("the keyset is encrypted, want a cleartext keyset, as `botwork keys new` writes it")
		}
		return nil, errors.New("the text is JSON, but not a Tink keyset: " + want)
	}
	if len(set.GetKey()) == 0 {
		return nil, errors.New("the keyset has no keys, " + want)
	}
	return set, nil
}

// checkPrimary finds the primary key and checks its status.
func checkPrimary(set *tinkpb.Keyset) error {
	at := slices.IndexFunc(set.GetKey(), func(key *tinkpb.Keyset_Key) bool { return key.GetKeyId() == set.GetPrimaryKeyId() })
	if at < 0 {
		return fmt.Errorf("the keyset's primaryKeyId is %d, but no key has this id", set.GetPrimaryKeyId())
	}
	if status := set.GetKey()[at].GetStatus(); status != tinkpb.KeyStatusType_ENABLED {
		return fmt.Errorf("the primary key %d is %s, want ENABLED: otherwise it cannot encrypt", set.GetPrimaryKeyId(), status)
	}
	return nil
}

// checkKey returns what is wrong with one key; the text continues a sentence that starts
// with the key's id.
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
		return fmt.Errorf("has the output prefix %s, want TINK: otherwise its texts do not name their key", prefix)
	}
	alone := &tinkpb.Keyset{PrimaryKeyId: key.GetKeyId(), Key: []*tinkpb.Keyset_Key{{
		KeyData: key.GetKeyData(), KeyId: key.GetKeyId(), OutputPrefixType: key.GetOutputPrefixType(), Status: tinkpb.KeyStatusType_ENABLED,
	}}}
	if _, err := open(alone); err != nil {
		return errors.New("cannot be used: its key material is damaged or missing")
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
