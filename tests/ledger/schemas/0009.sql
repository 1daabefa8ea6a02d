CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE memories (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	content TEXT NOT NULL, 
	category TEXT NOT NULL, 
	scope TEXT NOT NULL, 
	project TEXT NOT NULL, 
	title TEXT NOT NULL, 
	tags TEXT NOT NULL, 
	metadata TEXT NOT NULL, 
	source TEXT NOT NULL, 
	speaker TEXT NOT NULL, 
	session TEXT NOT NULL, 
	files TEXT NOT NULL, 
	sources TEXT NOT NULL, 
	state TEXT NOT NULL, 
	superseded_by TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	embedding_model TEXT NOT NULL, 
	importance INTEGER NOT NULL, 
	access_count INTEGER NOT NULL, 
	strength INTEGER NOT NULL, 
	pinned BOOLEAN NOT NULL, 
	occurred_at BIGINT, 
	source_messages TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	last_accessed_at BIGINT, 
	trust FLOAT NOT NULL
, agent TEXT DEFAULT '' NOT NULL, role TEXT DEFAULT '' NOT NULL, revision INTEGER DEFAULT '1' NOT NULL, purge_at BIGINT, compared BOOLEAN DEFAULT 0 NOT NULL);
CREATE UNIQUE INDEX ix_memories_id ON memories (id);
CREATE INDEX ix_memories_newest ON memories (owner, created_at, number);
CREATE TABLE memory_tags (
	memory_id TEXT NOT NULL, 
	tag TEXT NOT NULL, 
	PRIMARY KEY (memory_id, tag)
);
CREATE UNIQUE INDEX ix_memories_content ON memories (owner, scope, project, content_hash) WHERE state = 'active' AND content_hash != '';
CREATE TABLE aliases (
	id TEXT NOT NULL, 
	memory_id TEXT NOT NULL, ts BIGINT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE history (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	memory_id TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	event TEXT NOT NULL, 
	old TEXT NOT NULL, 
	new TEXT NOT NULL, 
	actor TEXT NOT NULL, 
	meta TEXT NOT NULL, 
	ts BIGINT NOT NULL
, operation BIGINT DEFAULT '0' NOT NULL, undo TEXT DEFAULT '' NOT NULL);
CREATE INDEX ix_history_memory ON history (memory_id, id);
CREATE INDEX ix_history_owner ON history (owner, id);
CREATE TABLE changes (
	sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	memory_id TEXT NOT NULL, 
	event TEXT NOT NULL, 
	ts BIGINT NOT NULL
);
CREATE INDEX ix_changes_memory ON changes (memory_id, sequence);
CREATE TABLE sessions (
	owner TEXT NOT NULL, 
	session TEXT NOT NULL, 
	state BLOB NOT NULL, 
	updated_at BIGINT NOT NULL, 
	PRIMARY KEY (owner, session)
);
CREATE TABLE traces (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner TEXT NOT NULL, 
	session TEXT NOT NULL, 
	body BLOB NOT NULL
);
CREATE INDEX ix_traces_session ON traces (owner, session, id);
CREATE TABLE spending (
	day TEXT NOT NULL, 
	calls INTEGER NOT NULL, 
	input_tokens BIGINT NOT NULL, 
	output_tokens BIGINT NOT NULL, 
	cost_usd FLOAT NOT NULL, 
	PRIMARY KEY (day)
);
CREATE INDEX ix_memories_uncompared ON memories (number) WHERE compared = 0 AND state = 'active';
CREATE INDEX ix_memories_purge ON memories (purge_at) WHERE purge_at IS NOT NULL;
CREATE INDEX ix_history_operation ON history (operation);
CREATE TABLE relations (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner TEXT NOT NULL, 
	relation_type TEXT NOT NULL, 
	from_id TEXT NOT NULL, 
	to_id TEXT NOT NULL, 
	strength FLOAT NOT NULL, 
	created_at BIGINT NOT NULL, 
	operation BIGINT NOT NULL, 
	removed_by BIGINT
);
CREATE UNIQUE INDEX ix_relations_edge ON relations (from_id, to_id, relation_type) WHERE removed_by IS NULL;
CREATE INDEX ix_relations_to ON relations (to_id);
CREATE INDEX ix_relations_operation ON relations (operation);
CREATE TABLE doubts (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	older_id TEXT NOT NULL, 
	newer_id TEXT NOT NULL, 
	similarity FLOAT NOT NULL, 
	created_at BIGINT NOT NULL, 
	decided_at BIGINT, 
	decision TEXT DEFAULT '' NOT NULL
);
CREATE UNIQUE INDEX ix_doubts_pair ON doubts (older_id, newer_id);
CREATE INDEX ix_doubts_open ON doubts (owner, decided_at);
CREATE TABLE consents (
	id TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	project TEXT NOT NULL, 
	field TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	status TEXT NOT NULL, 
	proposed BLOB NOT NULL, 
	signals INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	decided_at BIGINT, 
	decided_by TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX ix_consents_waiting ON consents (owner, status, expires_at);
CREATE TABLE events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner TEXT NOT NULL, 
	thread TEXT NOT NULL, 
	node TEXT NOT NULL, 
	op TEXT NOT NULL, 
	status TEXT NOT NULL, 
	category TEXT NOT NULL, 
	memory_id TEXT NOT NULL, 
	sim FLOAT, 
	ts BIGINT NOT NULL
);
CREATE INDEX ix_events_owner ON events (owner, ts);
CREATE INDEX ix_events_node ON events (node, ts);
CREATE TABLE switches (
	owner TEXT NOT NULL, 
	project TEXT NOT NULL, 
	off_since BIGINT NOT NULL, 
	actor TEXT NOT NULL, 
	PRIMARY KEY (owner, project)
);
CREATE INDEX ix_memories_category ON memories (owner, category, created_at, number);
CREATE TABLE core_sections (
	owner TEXT NOT NULL, 
	thread TEXT NOT NULL, 
	name TEXT NOT NULL, 
	content TEXT NOT NULL, 
	updated_by TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	updated_at BIGINT NOT NULL, 
	PRIMARY KEY (owner, thread, name)
);
CREATE TABLE core_writes (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner TEXT NOT NULL, 
	thread TEXT NOT NULL, 
	name TEXT NOT NULL, 
	event TEXT NOT NULL, 
	"before" TEXT NOT NULL, 
	actor TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	ts BIGINT NOT NULL, 
	write_id TEXT NOT NULL
);
CREATE INDEX ix_core_writes_section ON core_writes (owner, thread, name, id);
CREATE UNIQUE INDEX ix_core_writes_write ON core_writes (owner, write_id);
CREATE TABLE checkpoints (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner TEXT NOT NULL, 
	thread TEXT NOT NULL, 
	checksum TEXT NOT NULL, 
	meta TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	size INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	save_id TEXT NOT NULL, 
	gone BOOLEAN DEFAULT 0 NOT NULL, 
	data BLOB NOT NULL
);
CREATE UNIQUE INDEX ix_checkpoints_thread ON checkpoints (owner, thread, version);
CREATE INDEX ix_checkpoints_newest ON checkpoints (owner, id);
CREATE INDEX ix_checkpoints_save ON checkpoints (owner, save_id);
CREATE TABLE progress (
	owner TEXT NOT NULL, 
	session TEXT NOT NULL, 
	job TEXT NOT NULL, 
	sequence BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	detail TEXT NOT NULL, 
	PRIMARY KEY (owner, session, job)
);
CREATE INDEX ix_relations_removed_by ON relations (removed_by) WHERE removed_by IS NOT NULL;
CREATE TABLE checks (
	one_id TEXT NOT NULL, 
	other_id TEXT NOT NULL, 
	hundredths INTEGER NOT NULL, 
	owner TEXT NOT NULL, 
	judge TEXT NOT NULL, 
	checked_at BIGINT NOT NULL, 
	PRIMARY KEY (one_id, other_id, hundredths)
);
CREATE INDEX ix_checks_owner ON checks (owner, checked_at);
CREATE TABLE check_days (
	owner TEXT NOT NULL, 
	day TEXT NOT NULL, 
	pairs INTEGER NOT NULL, 
	tokens BIGINT NOT NULL, 
	PRIMARY KEY (owner, day)
);
CREATE TABLE consolidations (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner TEXT NOT NULL, 
	stage TEXT NOT NULL, 
	counts TEXT NOT NULL, 
	problem TEXT NOT NULL, 
	started_at BIGINT NOT NULL, 
	finished_at BIGINT, 
	asked BOOLEAN NOT NULL, 
	starts INTEGER NOT NULL
);
CREATE INDEX ix_consolidations_owner ON consolidations (owner, id);
INSERT INTO alembic_version VALUES ('0009');
