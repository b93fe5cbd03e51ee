-- claimed_large: a text of a claimed item. One of more than 2 MB is not returned: it is asked
-- for by large, unless it is larger than its queue allows.
-- Parameters: column
CASE WHEN octet_length({{column}}) <= 2097152 THEN {{column}} END
