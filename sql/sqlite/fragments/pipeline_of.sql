-- pipeline_of: the name of the pipeline of an IntegrationConfig, or an empty text if it is too
-- long for a name: a whole pipeline.
-- Parameters: config
CASE WHEN length({{config}}) <= 200 THEN {{config}} ELSE '' END
