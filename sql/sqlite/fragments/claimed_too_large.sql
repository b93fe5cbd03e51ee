-- claimed_too_large: 1 if one of the texts of a claimed item was not returned, else NULL.
-- Parameters: row
CASE WHEN octet_length({{row}}IntegrationConfig) > 2097152 OR octet_length({{row}}Payload) > 2097152 OR octet_length({{row}}Output) > 2097152 THEN 1 END
