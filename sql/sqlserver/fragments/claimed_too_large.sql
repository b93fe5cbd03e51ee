-- claimed_too_large: 1 if one of the texts of a claimed item was not returned, else NULL.
-- Parameters: row
CASE WHEN DATALENGTH({{row}}IntegrationConfig) > 4194304 OR DATALENGTH({{row}}Payload) > 4194304 OR DATALENGTH({{row}}Output) > 4194304 THEN 1 END
