// Package keyring encrypts (seals) the texts of encrypted queues with a Tink keyset.
//
// A keyset has one or more AEAD keys. The primary key seals texts. Each enabled key opens
// the texts that it sealed, so that old texts stay readable after a new key is added. The
// keyset is read and written in Tink's JSON format for cleartext keysets: everyone who
// can read that text has the keys. No error of this package shows any part of it.
//
// This is the only package that uses Tink.
package keyring

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"botwork/workqueue"
)

// Keyring is a set of keys. It is immutable and safe for concurrent use: methods that add
// a key or choose another primary key return a new Keyring.
type Keyring struct {
	handle *keyset.Handle
	aead   tink.AEAD
	keys   []Key // in the order of the keyset: the oldest first
}

var _ workqueue.Cipher = (*Keyring)(nil)

// New creates a keyring with one new key for AES-256-GCM.
func New() (*Keyring, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("create a key: %w", err)
	}
	return from(handle)
}

// Material returns the key material, as JSON writes it. Logs must never show these texts.
func (k *Keyring) Material() []string {
	var material []string
	for _, key := range insecurecleartextkeyset.KeysetMaterial(k.handle).GetKey() {
		material = append(material, base64.StdEncoding.EncodeToString(key.GetKeyData().GetValue()))
	}
	return material
}

func from(handle *keyset.Handle) (*Keyring, error) {
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, err
	}
	return &Keyring{handle: handle, aead: primitive, keys: list(handle)}, nil
}

// String returns only the number of keys.
func (k *Keyring) String() string { return fmt.Sprintf("keyring(%d)", len(k.keys)) }

// JSON returns the keyset in the format that Parse reads, on one line. It contains all
// key material in cleartext, so the caller must keep it out of logs and errors.
func (k *Keyring) JSON() ([]byte, error) {
	var text, line bytes.Buffer
	if err := insecurecleartextkeyset.Write(k.handle, keyset.NewJSONWriter(&text)); err != nil {
		return nil, errors.New("write the keyset as JSON: Tink returned an error") // Tink's error might quote the keyset
	}
	// Tink's library deliberately adds spaces at random positions.
	if err := json.Compact(&line, text.Bytes()); err != nil {
		return nil, errors.New("write the keyset as JSON: Tink's output is not JSON")
	}
	return line.Bytes(), nil
}
