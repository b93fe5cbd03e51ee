-- random_key: a new idempotency key.
lower(hex(randomblob(16)))
