-- new_attempt: what a claim clears of the attempt before; the idempotency key stays, or is made.
Step = NULL,
Progress = NULL,
ProgressPercent = NULL,
PipelineHash = NULL,
IdempotencyKey = COALESCE(IdempotencyKey, {{random_key}}),
LogTail = NULL,
StepTimes = NULL,
BatchLeaderId = NULL,
