-- random_key: a new idempotency key.
CAST(gen_random_uuid() AS text)
