package cli

import (
	"botwork/internal/author/strictyaml"
	"botwork/internal/keyring"
	"botwork/internal/redaction"
	"botwork/workqueue"
)

// Keyring reads the keys of the settings; it returns nil if they name none. Its error is a
// strictyaml.Findings that contains no key material.
func (s *Settings) Keyring() (*keyring.Keyring, error) {
	if !s.Config.HasKeyset() {
		return nil, nil
	}
	k, err := keyring.Parse(s.Config.Encryption.Keyset.Reveal())
	if err != nil {
		return nil, strictyaml.Findings{s.Config.KeysetFinding(err.Error())}
	}
	return k, nil
}

// Cipher returns the cipher of the store; nil without keys.
func (s *Settings) Cipher() (workqueue.Cipher, error) {
	k, err := s.Keyring()
	if err != nil || k == nil {
		return nil, err // not k: an interface that holds nil is not nil
	}
	return k, nil
}

// keyMaterial returns the key material, which must not appear in logs. It is empty for an
// unusable keyset: commands that do not need the database still work.
func (s *Settings) keyMaterial() []string {
	k, err := s.Keyring()
	if err != nil || k == nil {
		return nil
	}
	return k.Material()
}

// Secrets returns the secrets of the settings by name, as pipelines use them.
func (s *Settings) Secrets() map[string]string {
	plain := make(map[string]string, len(s.Config.Secrets))
	for name, secret := range s.Config.Secrets {
		plain[name] = secret.Reveal()
	}
	return plain
}

// Redactor hides the values of all secrets, the passwords in DSNs, and the keys.
func (s *Settings) Redactor() *redaction.Redactor {
	return redaction.New(append(s.keyMaterial(), s.Config.SecretValues()...)...)
}
