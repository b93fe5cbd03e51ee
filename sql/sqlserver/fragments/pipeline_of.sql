-- pipeline_of: the name of the pipeline of an IntegrationConfig, or an empty text if it is too
-- long for a name: a whole pipeline.
-- Parameters: config
CASE WHEN LEN({{config}}) <= 200 THEN CAST({{config}} AS NVARCHAR(200)) ELSE N'' END
