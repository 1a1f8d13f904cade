/**
 * The tables of a store in PostgreSQL, and the statement that makes them and the functions. All names have their schema. In the texts, `@`
 * stands for the name of the table, and `@_claim` for another name.
 */
import { FAILED } from '../common/rows.js'
import { FUNCTIONS } from './functions.js'

/** The channel of notifications of all stores: the numbers of processes are unique. */
export const CHANNEL = 'timeout_wheel'

const TABLES = `
CREATE TABLE @ (
  name text COLLATE "C" NOT NULL, due bigint NOT NULL, id text COLLATE "C" NOT NULL, key text COLLATE "C", at bigint NOT NULL, data text,
  rule text, last bigint, owner bigint NOT NULL DEFAULT 0, starts integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0, deaths integer NOT NULL DEFAULT 0, watched integer NOT NULL DEFAULT 0,
  again bigint, marked bigint, error text, PRIMARY KEY (name, due, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX ON @ (key, name);
CREATE INDEX ON @ (id) WHERE due >= ${FAILED};
CREATE TABLE @_process (
  id bigint PRIMARY KEY, alive boolean NOT NULL, until bigint NOT NULL, horizon bigint NOT NULL,
  boot text, space text, pid bigint NOT NULL, began text
);
CREATE TABLE @_message (process bigint NOT NULL, name text NOT NULL DEFAULT '', id text NOT NULL DEFAULT '', due bigint NOT NULL DEFAULT 0);
CREATE INDEX ON @_message (process);
CREATE FUNCTION @_told_1() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS
  'BEGIN PERFORM pg_notify(''${CHANNEL}'', NEW.process::text); RETURN NULL; END';
CREATE TRIGGER told AFTER INSERT ON @_message FOR EACH ROW EXECUTE FUNCTION @_told_1();
CREATE TABLE @_paused (name text COLLATE "C" PRIMARY KEY);
CREATE FUNCTION @_now_1() RETURNS numeric LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::numeric';
`

/** Each brings a store from the version before to its own. They only add. A version that was published never changes. */
export const MIGRATIONS = [TABLES + FUNCTIONS]

/** One statement, and so one transaction, which makes a store or brings it to the present version. It fails if the store is newer. */
export function migrationOf(schema: string, table: string): string {
  const latest = MIGRATIONS.length
  const inSchema = (name: string): string => `"${schema}"."${name}"`
  const migrations = MIGRATIONS.map((text, i) => {
    const named = text.replace(/@(_\w+)?/g, (_, more = '') => inSchema(table + more))
    return `IF version <= ${i} THEN EXECUTE $migration$${named}$migration$; END IF;`
  })
  const stores = inSchema('timeout_wheel_stores')
  return `
DO $do$
DECLARE version integer;
BEGIN
  -- Another one lacks characters of names, data and errors.
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION USING ERRCODE = 'TW001', MESSAGE =
      format('durable timers need a database with the encoding UTF8, this one has %s', current_setting('server_encoding'));
  END IF;
  -- One process at a time: two that make a table at once fail.
  PERFORM pg_advisory_xact_lock(hashtext('timeout-wheel'));
  IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF;
  IF to_regclass('${stores}') IS NULL THEN CREATE TABLE ${stores} (name text PRIMARY KEY, version integer NOT NULL); END IF;
  SELECT s.version INTO version FROM ${stores} AS s WHERE s.name = '${table}';
  IF version > ${latest} THEN
    RAISE EXCEPTION USING ERRCODE = 'TW001', MESSAGE =
      format('the store ${table} has version %s, which a newer timeout-wheel has written; this one knows ${latest}', version);
  END IF;
  -- Above READ COMMITTED, it does not see what a process has made for which it has waited. Then this conflicts, and all is tried again.
  IF version IS NULL THEN INSERT INTO ${stores} VALUES ('${table}', ${latest});
  ELSIF version < ${latest} THEN UPDATE ${stores} AS s SET version = ${latest} WHERE s.name = '${table}'; END IF;
  version := coalesce(version, 0);
  ${migrations.join('\n  ')}
END $do$`
}
