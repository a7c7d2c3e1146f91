CREATE INDEX steps_being_sent ON run_step (run_id) WHERE state = 'sending';
