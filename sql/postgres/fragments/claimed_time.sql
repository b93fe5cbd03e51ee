-- claimed_time: a time of a claimed item.
-- Parameters: column
{{column}}
