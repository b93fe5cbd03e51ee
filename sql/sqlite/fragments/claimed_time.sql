-- claimed_time: a time of a claimed item, as a text that the driver does not parse.
-- Parameters: column
CAST({{column}} AS TEXT)
