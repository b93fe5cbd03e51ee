-- random_key: a new idempotency key.
LOWER(CONVERT(NVARCHAR(36), NEWID()))
