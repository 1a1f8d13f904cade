/**
 * The tables and functions of a store in PostgreSQL. Each method of the store is a function in the database, which takes and returns
 * JSON. So each call is one statement and one transaction, whatever stands between: a pool, pgbouncer, a driver.
 *
 * The name of a function ends with the version that made it, because processes of two versions can share a store. In the texts, `@`
 * stands for the name of the table.
 */
import { FAILED, LONGEST_LEASE } from '../common/store.js'

/** Bytes of a claim or of a portion, but for the last row. */
const MOST_BYTES = 2 ** 22
/** Rows that a portion looks at, and rows that it gives. */
const LOOKED_AT = 2_000
const MOST_ROWS = 500
const COUNTED = 50_000
const FORGOTTEN = 500
/** How long a transaction may take until others see it, in milliseconds. */
const COMMIT_TIME = 2_000
/** How long the end of a dead process's lease is kept, in milliseconds: it tells which of its timers it may have started. */
const DAY = 24 * 3_600_000

const LIVES = `until > now AND until <= now + ${LONGEST_LEASE}`
const LIVING = `SELECT id FROM @_process WHERE ${LIVES}`

const TABLES = `
CREATE TABLE @ (
  due bigint NOT NULL, id bigint NOT NULL, owner bigint NOT NULL DEFAULT 0, fence bigint NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0, name text COLLATE "C" NOT NULL, key text COLLATE "C", data text, rule text, error text,
  PRIMARY KEY (due, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX @_key ON @ (name, key);
CREATE INDEX @_failed ON @ (id) WHERE due >= ${FAILED};
CREATE SEQUENCE @_id;
CREATE TABLE @_process (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, until bigint NOT NULL, horizon bigint NOT NULL);
CREATE TABLE @_message (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner bigint NOT NULL, id bigint NOT NULL, due bigint NOT NULL DEFAULT 0);
CREATE INDEX @_message_owner ON @_message (owner);
CREATE FUNCTION @_now_1() RETURNS bigint LANGUAGE sql VOLATILE AS
  'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
`

/** Tells the processes in `told` to look for messages; all of them if there are many, because a notification has at most 8,000 bytes. */
const NOTIFY = `IF cardinality(told) > 0 THEN
    PERFORM pg_notify('@_news', CASE WHEN cardinality(told) > 300 THEN '' ELSE array_to_string(told, ' ') END);
  END IF;`

/** Without a time of its own, a statement waits for locks as long as the program's transaction does. */
const PATIENCE = `IF (args->>'patience')::integer > 0 THEN PERFORM set_config('lock_timeout', args->>'patience', true); END IF;`

/** Tells processes of a row that nobody holds and that is due at 'soon', and notifies all that are told of something. */
const TELL = `IF soon < ${FAILED} THEN
    WITH told_of AS (
      -- All of them, if the program's transaction may end later, and a little further ahead than their horizons, for this one's sake.
      INSERT INTO @_message (owner, id, due) SELECT id, 0, soon FROM @_process
      WHERE id <> me AND (me = 0 OR soon <= @_now_1() + horizon + ${COMMIT_TIME}) AND ${LIVES}
      RETURNING owner
    ) SELECT told || array_agg(owner) INTO told FROM told_of;
  END IF;
  ${NOTIFY}`

/** The changes of a round, with their numbers. Arrays cost a fifth of what records in JSON do. */
const CHANGES = `(SELECT * FROM unnest(rounds, is_set, dues, owners, names, keys, datas, rules, replaces)
        WITH ORDINALITY AS c(round, is_set, due, owner, name, key, data, rule, replaces, n) WHERE round = r) AS c`

/** Declares an array with a member of the arguments: numbers are the text of an array, other values an array in JSON. */
const numbers = (variable: string, member: string): string =>
  `${variable} bigint[] := (args->>'${member}')::bigint[];`
const texts = (variable: string, member: string): string =>
  `${variable} text[] := ARRAY(SELECT jsonb_array_elements_text(args->'${member}'));`

/**
 * A function of the store. `args` has the arguments, `now` the time. A plan is kept that was made while the table was empty, so each must
 * use the indexes.
 */
const fn = (name: string, declarations: string, body: string): string => `
CREATE FUNCTION @_${name}_1(args jsonb) RETURNS json LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $f$
#variable_conflict use_column
DECLARE
  now bigint := @_now_1();
  ${declarations}
BEGIN
  ${body}
END $f$;
`

const ROW = (from: string): string =>
  `json_build_object('due', ${from}.due, 'id', ${from}.id, 'fence', ${from}.fence, 'tries', ${from}.tries, 'name', ${from}.name, 'key', ${from}.key,
    'data', ${from}.data, 'rule', ${from}.rule, 'error', ${from}.error)`

const FUNCTIONS = [
  fn('time', '', `RETURN json_build_object('now', now);`),
  fn(
    'join',
    'made bigint;',
    `INSERT INTO @_process (until, horizon) VALUES (now + (args->>'lease')::bigint, (args->>'horizon')::bigint) RETURNING id INTO made;
  RETURN json_build_object('now', now, 'number', made, 'until', now + (args->>'lease')::bigint);`,
  ),
  fn(
    'beat',
    `me bigint := args->>'owner'; ends bigint := now + (args->>'lease')::bigint; lives integer; others integer; next_end bigint;`,
    `UPDATE @_process SET until = ends WHERE id = me AND ${LIVES};
  GET DIAGNOSTICS lives = ROW_COUNT;
  DELETE FROM @_process WHERE abs(until) NOT BETWEEN now - ${DAY} AND now + ${LONGEST_LEASE + DAY};
  DELETE FROM @_message WHERE owner NOT IN (${LIVING});
  SELECT count(*), min(until) INTO others, next_end FROM @_process WHERE id <> me AND ${LIVES};
  RETURN json_build_object('now', now, 'until', CASE WHEN lives > 0 THEN ends END, 'others', others, 'nextEnd', next_end);`,
  ),
  // CASE keeps PostgreSQL from an index of names, whose rows it would have to sort.
  fn(
    'claim',
    `me bigint := args->>'owner'; names text[] := ARRAY(SELECT jsonb_array_elements_text(args->'names'));
  low_due bigint := args->'low'->>0; low_id bigint := args->'low'->>1; most integer := args->>'most';
  ahead bigint := now + (args->>'horizon')::bigint; up bigint := least(ahead, (args->>'bound')::bigint);
  living bigint[] := ARRAY(${LIVING}); found_rows json; is_cut boolean; last_due bigint; last_id bigint;`,
    `IF NOT me = ANY(living) THEN
    RETURN json_build_object('now', now, 'isAlive', false, 'rows', '[]'::json, 'upTo', args->'low', 'isCut', false);
  END IF;
  WITH found AS MATERIALIZED (
    SELECT due, id, owner AS former, 100 + coalesce(octet_length(data), 0) AS size FROM @
    WHERE (due, id) > (low_due, low_id) AND due <= up AND CASE WHEN name = ANY(names) THEN owner <> ALL(living) ELSE false END
    ORDER BY due, id LIMIT most FOR UPDATE SKIP LOCKED
  ), sized AS MATERIALIZED (
    SELECT due, id, former, sum(size) OVER (ORDER BY due, id) - size < ${MOST_BYTES} AS fits FROM found
  ), buried AS (
    -- A process whose lease has lapsed must not live again if the clock is set back.
    UPDATE @_process SET until = -abs(until) WHERE id IN (SELECT former FROM sized WHERE fits) RETURNING id, -until AS until
  ), taken AS (
    -- The process that has died may have started what was due before its lease ended, and nothing else.
    UPDATE @ AS t SET owner = me, fence = t.fence + 1, tries = t.tries + CASE
      WHEN s.former <> 0 AND t.due <= least(coalesce((SELECT until FROM buried AS b WHERE b.id = s.former), now), now) THEN 1 ELSE 0
    END
    FROM sized AS s WHERE s.fits AND t.due = s.due AND t.id = s.id RETURNING t.*
  )
  SELECT coalesce(json_agg(${ROW('taken')} ORDER BY due, id), '[]'),
    (SELECT count(*) = most OR NOT coalesce(bool_and(fits), true) FROM sized)
    INTO found_rows, is_cut FROM taken;
  IF is_cut THEN
    last_due := coalesce((found_rows->-1->>'due')::bigint, low_due);
    last_id := coalesce((found_rows->-1->>'id')::bigint, low_id);
  END IF;
  RETURN json_build_object('now', now, 'isAlive', true, 'rows', found_rows, 'isCut', is_cut,
    'upTo', CASE WHEN is_cut THEN json_build_array(last_due, last_id) ELSE json_build_array(up, ${Number.MAX_SAFE_INTEGER}) END,
    'next', (SELECT due FROM @ WHERE due > ahead AND due < ${FAILED} ORDER BY due LIMIT 1));`,
  ),
  // In each round, no key comes twice, so its changes are made together.
  fn(
    'change',
    `me bigint := args->>'owner'; ${numbers('rounds', 'round')} is_set boolean[] := (args->>'isSet')::boolean[];
  ${numbers('dues', 'due')} ${numbers('owners', 'owners')} ${texts('names', 'name')} ${texts('keys', 'key')}
  ${texts('datas', 'data')} ${texts('rules', 'rule')} replaces boolean[] := (args->>'replaces')::boolean[];
  ids bigint[] := ARRAY(SELECT nextval('@_id') FROM unnest(names)); refused bigint[] := '{}'; found_rows json[] := '{}';
  soon bigint; told bigint[]; round_rows json[]; round_refused bigint[]; round_soon bigint; round_told bigint[]; is_whole boolean;`,
    `${PATIENCE}
  FOR r IN 0..(args->>'last')::integer
  LOOP
    -- All transactions lock rows in one order, also those of 'end'.
    PERFORM 1 FROM (SELECT name, key FROM ${CHANGES} WHERE key IS NOT NULL ORDER BY name COLLATE "C", key COLLATE "C") AS c
      CROSS JOIN LATERAL (SELECT 1 FROM @ AS t WHERE t.name = c.name AND t.key = c.key FOR UPDATE) AS t;
    IF FOUND THEN
      WITH there AS MATERIALIZED (
        SELECT c.n, t.*, t.due < ${FAILED} AND c.is_set AND NOT c.replaces AS is_refused
        FROM (SELECT * FROM ${CHANGES} WHERE key IS NOT NULL) AS c
        CROSS JOIN LATERAL (SELECT t.*, t.ctid AS at_row FROM @ AS t WHERE t.name = c.name AND t.key = c.key FOR UPDATE) AS t
      ), gone AS (
        DELETE FROM @ WHERE ctid = ANY(ARRAY(SELECT at_row FROM there WHERE NOT is_refused)) RETURNING id
      ), told_of AS (
        INSERT INTO @_message (owner, id) SELECT p.id, l.id FROM there AS l JOIN @_process AS p ON p.id = l.owner
        WHERE NOT l.is_refused AND l.owner <> me AND ${LIVES} RETURNING owner
      )
      SELECT array_agg(json_build_object('n', n, 'id', id, 'isFailed', due >= ${FAILED}, 'present', CASE WHEN is_refused THEN ${ROW('there')} END)),
        array_agg(n) FILTER (WHERE is_refused),
        -- A claim may have passed over a row that was locked here.
        min(due) FILTER (WHERE is_refused AND owner NOT IN (${LIVING})), ARRAY(SELECT owner FROM told_of),
        (SELECT count(*) FROM gone) = count(*) FILTER (WHERE NOT is_refused)
        INTO round_rows, round_refused, round_soon, round_told, is_whole FROM there;
      -- A row came between the two statements, and was changed before it was locked. The call is made again.
      IF NOT is_whole THEN RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = 'two changes met'; END IF;
      found_rows := found_rows || round_rows;
      refused := refused || round_refused;
      soon := least(soon, round_soon);
      told := told || round_told;
    END IF;
    INSERT INTO @ (due, id, owner, name, key, data, rule)
      SELECT due, ids[n], owner, name, key, data, rule FROM ${CHANGES} WHERE is_set AND n <> ALL(refused);
  END LOOP;
  SELECT least(soon, min(due)) INTO soon FROM unnest(is_set, dues, owners) WITH ORDINALITY AS c(is_set, due, owner, n)
    WHERE is_set AND owner = 0 AND n <> ALL(refused);
  ${TELL}
  RETURN json_build_object('now', now, 'ids', ids, 'there', array_to_json(found_rows));`,
  ),
  fn(
    'end',
    `me bigint := args->>'owner'; soon bigint; told bigint[]; done json;
  ${numbers('dues', 'due')} ${numbers('ids', 'id')} ${numbers('owners', 'owners')} ${numbers('fences', 'fence')}
  ${texts('names', 'name')} ${texts('keys', 'key')}
  ${numbers('next_dues', 'nextDue')} ${numbers('next_ids', 'nextId')} ${numbers('next_owners', 'nextOwner')}
  ${numbers('next_tries', 'nextTries')} ${texts('next_errors', 'nextError')}`,
    `${PATIENCE}
  WITH ends AS MATERIALIZED (
    SELECT *, CASE WHEN next_due IS NOT NULL THEN coalesce(next_id, nextval('@_id')) ELSE id END AS made
    FROM unnest(dues, ids, owners, fences, names, keys, next_dues, next_ids, next_owners, next_tries, next_errors)
      WITH ORDINALITY AS e(due, id, owner, fence, name, key, next_due, next_id, next_owner, next_tries, next_error, n)
  ), found AS MATERIALIZED (
    SELECT e.*, t.at_row FROM (SELECT * FROM ends ORDER BY name COLLATE "C", key COLLATE "C", id) AS e
    CROSS JOIN LATERAL (
      SELECT t.ctid AS at_row FROM @ AS t WHERE t.due = e.due AND t.id = e.id AND t.owner = e.owner AND t.fence = e.fence FOR UPDATE
    ) AS t
  ), gone AS (
    DELETE FROM @ WHERE ctid = ANY(ARRAY(SELECT at_row FROM found WHERE next_due IS NULL))
  ), again AS (
    UPDATE @ AS t SET due = f.next_due, id = f.made, owner = f.next_owner, fence = t.fence + 1, tries = f.next_tries, error = f.next_error
    FROM found AS f WHERE f.next_due IS NOT NULL AND t.ctid = f.at_row
  )
  SELECT json_agg(f.made ORDER BY e.n), min(f.next_due) FILTER (WHERE f.next_owner = 0)
    INTO done, soon FROM unnest(ids) WITH ORDINALITY AS e(id, n) LEFT JOIN found AS f ON f.n = e.n;
  ${TELL}
  RETURN json_build_object('now', now, 'ids', done);`,
  ),
  fn(
    'retry',
    `me bigint := args->>'owner'; soon bigint; told bigint[];`,
    `UPDATE @ SET due = (args->>'due')::bigint, fence = fence + 1, tries = 0 WHERE id = (args->>'id')::bigint AND due >= ${FAILED} RETURNING due INTO soon;
  ${TELL}
  RETURN json_build_object('now', now, 'isDone', soon IS NOT NULL);`,
  ),
  fn(
    'news',
    `me bigint := args->>'owner'; lost json; soon bigint; others integer;`,
    `WITH messages AS (DELETE FROM @_message WHERE owner = me RETURNING id, due)
  SELECT coalesce(json_agg(id) FILTER (WHERE id > 0), '[]'), min(due) FILTER (WHERE id = 0) INTO lost, soon FROM messages;
  SELECT count(*) INTO others FROM @_process WHERE id <> me AND ${LIVES};
  RETURN json_build_object('now', now, 'lost', lost, 'soon', soon, 'others', others,
    'isAlive', EXISTS (SELECT FROM @_process WHERE id = me AND ${LIVES}));`,
  ),
  fn(
    'leave',
    `me bigint := args->>'owner'; told bigint[];`,
    `-- What is due later, this process has not started.
  UPDATE @_process SET until = -now WHERE id = me;
  DELETE FROM @_message WHERE owner = me;
  WITH told_of AS (INSERT INTO @_message (owner, id, due) SELECT id, 0, 0 FROM @_process WHERE ${LIVES} RETURNING owner)
  SELECT array_agg(owner) INTO told FROM told_of;
  ${NOTIFY}
  RETURN json_build_object('now', now);`,
  ),
  fn(
    'get',
    '',
    `RETURN json_build_object('now', now, 'row',
    (SELECT ${ROW('t')} FROM @ AS t WHERE name = args->>'name' AND key = args->>'key'));`,
  ),
  fn(
    'portion',
    `low_due bigint := args->'low'->>0; low_id bigint := args->'low'->>1; wanted text := args->>'name'; found_rows json; rest json;`,
    `WITH looked AS MATERIALIZED (
    SELECT t.*, row_number() OVER w AS nth, count(*) FILTER (WHERE wanted IS NULL OR name = wanted) OVER w AS given,
      sum(CASE WHEN wanted IS NULL OR name = wanted THEN 100 + coalesce(octet_length(data), 0) ELSE 0 END) OVER w AS bytes
    FROM (SELECT * FROM @ WHERE (due, id) > (low_due, low_id) AND due < (args->>'before')::bigint
      ORDER BY due, id LIMIT ${LOOKED_AT + 1}) AS t WINDOW w AS (ORDER BY due, id ROWS UNBOUNDED PRECEDING)
  ), cut AS (
    SELECT min(nth) AS nth FROM looked WHERE nth >= ${LOOKED_AT} OR given >= ${MOST_ROWS} OR bytes > ${MOST_BYTES}
  )
  SELECT coalesce(json_agg(${ROW('looked')} ORDER BY looked.nth)
      FILTER (WHERE (cut.nth IS NULL OR looked.nth <= cut.nth) AND (wanted IS NULL OR name = wanted)), '[]'),
    CASE WHEN max(looked.nth) > max(cut.nth) THEN
      (SELECT json_build_array(due, id) FROM looked AS l, cut AS c WHERE l.nth = c.nth) END
    INTO found_rows, rest FROM looked, cut;
  RETURN json_build_object('now', now, 'rows', found_rows, 'next', rest);`,
  ),
  fn(
    'count',
    `low_due bigint := args->'low'->>0; low_id bigint := args->'low'->>1; counted bigint; last json;`,
    `WITH part AS MATERIALIZED (
    SELECT due, id FROM @ WHERE (due, id) > (low_due, low_id) AND due < (args->>'before')::bigint ORDER BY due, id LIMIT ${COUNTED}
  )
  SELECT count(*), (SELECT json_build_array(due, id) FROM part ORDER BY due DESC, id DESC LIMIT 1) INTO counted, last FROM part;
  RETURN json_build_object('now', now, 'rows', counted, 'next', CASE WHEN counted = ${COUNTED} THEN last END);`,
  ),
  fn(
    'forget',
    'deleted integer;',
    `DELETE FROM @ WHERE (due, id) IN (SELECT due, id FROM @ WHERE due >= ${FAILED} AND due < ${FAILED} + (args->>'before')::bigint
    ORDER BY due, id LIMIT ${FORGOTTEN} FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN json_build_object('now', now, 'isCut', deleted = ${FORGOTTEN});`,
  ),
]

/** Each brings a store from the version before to its own. They only add. A version that was published never changes. */
const MIGRATIONS = [TABLES + FUNCTIONS.join('')]

export const VERSION = MIGRATIONS.length

/** One statement, and so one transaction, which makes a store or brings it to the present version. It fails if the store is newer. */
export function migrationOf(table: string): string {
  const migrations = MIGRATIONS.map(
    (text, i) =>
      `IF version <= ${i} THEN EXECUTE $migration$${text.replaceAll('@_', `${table}_`).replaceAll('@', `"${table}"`)}$migration$; END IF;`,
  )
  return `
DO $do$
DECLARE version integer;
BEGIN
  -- One process at a time: two that make a table at once fail.
  PERFORM pg_advisory_xact_lock(hashtext('timeout-wheel'));
  IF to_regclass('timeout_wheel_stores') IS NULL THEN
    CREATE TABLE timeout_wheel_stores (name text PRIMARY KEY, version integer NOT NULL);
  END IF;
  SELECT s.version INTO version FROM timeout_wheel_stores AS s WHERE s.name = '${table}';
  version := coalesce(version, 0);
  IF version > ${VERSION} THEN
    RAISE EXCEPTION USING ERRCODE = 'TW001', MESSAGE =
      format('the store ${table} has version %s, which a newer timeout-wheel has written; this one knows ${VERSION}', version);
  END IF;
  ${migrations.join('\n  ')}
  IF version < ${VERSION} THEN
    INSERT INTO timeout_wheel_stores VALUES ('${table}', ${VERSION}) ON CONFLICT (name) DO UPDATE SET version = excluded.version;
  END IF;
END $do$`
}
