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
);
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
	memory_id TEXT NOT NULL, 
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
);
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
INSERT INTO alembic_version VALUES ('0001');
